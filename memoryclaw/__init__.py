"""MemoryClaw: your agent's memory as Markdown you can read, edit and undo.

The map of the house; imports point from the top of this list to the bottom, never back (tests/test_house.py):

    doors/     parse arguments, call app, print            cli
    app/       opens a vault, wires the parts, one method per verb
    jobs/      verbs that take time                        sync recall search remember edit forget undo ...
    adapters/  one module per outside thing                vault database catalog fts5 history watcher ...
    config.py  memoryclaw.yaml + environment → frozen Config
    core/      pure: no disk, no clock, no network         model notes facts query scoring packing ...
"""

__version__ = "0.1.0"
