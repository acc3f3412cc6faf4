"""`python -m srcad` is the command `srcad`."""

from srcad.tools.command import main

if __name__ == "__main__":
    raise SystemExit(main())
