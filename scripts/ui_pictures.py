"""Takes the pictures of the page that README and docs show, from a copy of the sample vault: `python scripts/ui_pictures.py [FOLDER]`.

It needs what `make test-ui` needs. Without a folder the pictures go where the documents expect them, docs/pictures/.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [os.fspath(ROOT / "tests"), os.fspath(ROOT / "tests/browser")]
PICTURES = {
    "review": ("review", 1180, 600, "light"),
    "recall": ("recall?q=When+is+the+boathouse+deadline%3F&budget=300", 1180, 860, "light"),
    "timeline": ("timeline", 1180, 560, "light"),
    "entity": ("entity/Boathouse%20Aarhus", 1180, 780, "dark"),
    "note": ("note/ep-20250708-penicillin", 390, 760, "light"),
}


def main() -> int:
    """Makes them all."""
    import rig  # noqa: PLC0415 - the path above is what makes it found
    from daemons import serving  # noqa: PLC0415

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        # A machine of its own: nobody's name, time or settings are in a picture.
        os.environ |= {"HOME": home, "MEMORYCLAW_NOW": "2026-04-20T08:00:00Z", "TZ": "UTC"}
        for name, value in (("user.name", "Nora"), ("user.email", "nora@example.org")):
            rig.git(Path(home), "config", "--global", name, value)
        vault = rig.copied(Path(home) / "studio")
        with serving(vault) as daemon, rig.browser() as browser:
            for name, (page, width, height, scheme) in PICTURES.items():
                context = browser.new_context(
                    viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
                )
                window = context.new_page()
                url = rig.way_in(daemon)
                window.goto(url)
                window.wait_for_url(lambda at: "/enter" not in at)
                for _ in range(2):  # the first time of a daemon is not the time that people see
                    window.goto(f"{url.partition('/ui/')[0]}/ui/{page}")
                window.wait_for_timeout(200)
                window.screenshot(path=os.fspath(folder / f"ui-{name}.png"))
                context.close()
                print(folder / f"ui-{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
