"""What becomes of memories after they are written: what is over, weak, said twice or out of date. Proposed or kept, never deleted."""
