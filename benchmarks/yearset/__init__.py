"""The simulated year: what is said in it, and what happens when."""
