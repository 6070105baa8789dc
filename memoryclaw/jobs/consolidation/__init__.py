"""The jobs around consolidation: select logs, plan, apply, review. What they decide is worked out in core/consolidation."""
