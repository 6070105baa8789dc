"""The version of this program: in a module of its own, because a client of the daemon compares it and must load nothing else."""

__version__ = "0.2.0"
