"""How a vault stands: its status and figures, what is wrong in it, and what a folder holds that is to become one."""
