"""`python -m memoryclaw` is the same as the `memoryclaw` command."""

from memoryclaw.interfaces.cli import main

if __name__ == "__main__":
    main()
