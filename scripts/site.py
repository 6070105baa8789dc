"""What `make docs` adds to the site: llms.txt, each page's Markdown beside it, and a build that fails if a page would load anything from elsewhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

ELSEWHERE = re.compile(
    r"<(?:script|img|iframe)\b[^>]*\bsrc=[\"']?(?:https?:)?//|<link\b[^>]*\bhref=[\"']?(?:https?:)?//"
)
PARTS: list[Any] = []  # the navigation of the build that is running


def on_nav(nav: Any, **_: Any) -> None:
    """Keeps the navigation, in whose order llms.txt lists the pages."""
    PARTS[:] = nav.items


def on_post_page(output: str, page: Any, **_: Any) -> None:
    """Fails where a page loads a script, a style or a picture from another host."""
    if outside := ELSEWHERE.search(output):
        raise ValueError(f"{page.file.src_uri} loads from elsewhere: {outside[0]}")


def on_post_build(config: Any, **_: Any) -> None:
    """Writes llms.txt, and the Markdown that it names."""
    site, docs = Path(config["site_dir"]), Path(config["docs_dir"])
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}"]
    for part in PARTS:
        pages = part.children or [part]
        lines += ["", f"## {part.title}", ""] if part.children else [""]
        for page in pages:
            source = page.file.src_uri
            lines.append(f"- [{page.title}]({source}): {first_sentence(page.markdown)}")
            shutil.copyfile(docs / source, site / source)
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def first_sentence(markdown: str) -> str:
    """The first sentence below the title, without its links."""
    text = markdown.partition("\n\n")[2].partition("\n\n")[0].replace("\n", " ")
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    sentence = re.match(r".*?[.!?](?= |$)", text)
    return sentence[0] if sentence else text.rstrip(":")
