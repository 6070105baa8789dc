"""An Obsidian vault as somebody may have it, who never heard of MemoryClaw: 64 notes of two years, not all of them tidy."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

PEOPLE = {
    "Ines Duarte": ("Inês", "sister", "Évora", "keeps bees and answers letters within a year"),
    "Tomás Duarte": ("Tomás", "brother-in-law", "Évora", "repairs clocks, badly and with joy"),
    "Marit Solberg": ("Marit", "friend", "Bergen", "rows before work and knows every ferry timetable"),
    "Jürgen Falk": ("Jürgen", "neighbour", "Freiburg", "baut Geigen und leiht jedem sein Werkzeug"),
    "Wei Lan": ("蓝薇", "colleague", "杭州", "在杭州画地图，喜欢龙井茶"),
    "Odile Marchand": ("Odile", "translator", "Lyon", "traduit des romans et collectionne les tampons de gare"),
}  # fmt: skip
PROJECTS = {
    "Boathouse": ("The roof needs larch shingles before the winter.", "2026-05-30", ["Order larch shingles", "Ask [[Jürgen Falk]] for the long ladder"]),
    "Bee book": ("Thirty pages on swarms, with [[Ines Duarte|Inês]].", "2026-09-01", ["Draw the dance of the scouts"]),
    "Stadtplan": ("Ein Stadtplan von Freiburg für Kinder, mit [[Jürgen Falk]]. Gedruckt wird in Lahr.", "2026-06-15", ["Andruck prüfen"]),
    "Atlas": ("A small atlas of ferry lines, maps by [[Wei Lan]].", "2026-11-20", ["Ask [[Marit Solberg]] about the night ferry"]),
}  # fmt: skip
NOTES = {
    "Home.md": "# Home\n\n- [[Boathouse]]\n- [[Bee book]]\n- [[Stadtplan|der Stadtplan]]\n- ![[Pieces of string]]\n",
    "House/Keys.md": "---\ntags: [house]\n---\n# Keys\n\nThe spare key of the boathouse hangs behind the third oar.\nThe cellar key is with [[Jürgen Falk]].\n",
    "House/Heating.md": "# Heating\n\nThe boiler was serviced on 2025-10-02. Next service in two years. #house/boiler\n\n| room | radiator |\n|---|---|\n| kitchen | leaks |\n",
    "House/Pieces of string.md": "# Pieces of string too short to use\n\nIn the blue tin. ^tin\n",
    "Kitchen/Zwetschgenkuchen.md": "---\naliases: [Pflaumenkuchen]\ntags: [küche, backen]\n---\n# Zwetschgenkuchen\n\nZwei Kilo Zwetschgen, nicht zu reif. Der Teig ruht eine Stunde, dann kommt er für vierzig Minuten in den Ofen.\n",
    "Kitchen/Soupe au pistou.md": "---\ntags: cuisine\n---\n# Soupe au pistou\n\nLa recette de [[Odile Marchand]] : des haricots frais, du basilic et beaucoup de patience. On la mange froide le lendemain.\n",
    "Kitchen/龙井茶.md": "---\ntags: [茶]\n---\n# 龙井茶\n\n水温八十度，不要太烫。[[Wei Lan]]说第二泡最好。\n",
    "Reading/Das Glasperlenspiel.md": "---\nauthor: Hermann Hesse\nrating: 4\ntags: [lesen]\n---\nIch habe es im Zug nach Basel gelesen und nicht alles verstanden, aber die Ruhe ist mir geblieben.\n",
    "Reading/The Living Mountain.md": '---\nauthor: Nan Shepherd\nrating: 5\ntags:\n  - reading\n  - hills\n---\n> "I knew when I had looked for a long time that I had hardly begun to see."\n\nRead it again in the Cairngorms. See [[Marit Solberg]].\n',
    "Reading/Broken header.md": "---\nauthor: [Nan, Shepherd\ntags: reading\n---\nThe header of this note was never finished, and its words are found all the same: heather.\n",
    "archive/Old flat.md": "# Old flat\n\nWe left it in 2021. The deposit came back in March.\n",
    "archive/Car.md": "# Car\n\nSold to a man from Colmar for 1,900 euros.\n",
    "Templates/Daily.md": "---\ndate: {{date}}\ntags: [daily]\n---\n# {{date:dddd}}\n\n- [ ] \n",
    "Templates/Person.md": "---\naliases: [<% tp.file.cursor() %>]\nborn: <% tp.date.now() %>\n---\n# <% tp.file.title %>\n",
    "Scratch.md": "",
    "Untitled 1.md": "\ufeff# Windows note\r\n\r\nwritten on another machine\r\n",
}  # fmt: skip
WEATHER = (
    "Fog on the lake.", "Cold and clear.", "Rain all day.", "Warm for the season.", "Snow in the hills.",
)  # fmt: skip
BUSY = (
    "Rowed to the island with [[Marit Solberg]], two hours against the wind.",
    "Wrote a page of the [[Bee book]]. #writing",
    "Mit [[Jürgen Falk]] das Dach vermessen, es sind neunzehn Meter. #boathouse",
    "Called [[Ines Duarte|Inês]]: the old queen is still laying.",
    "Lettre de [[Odile Marchand]], elle a trouvé une chambre à Lyon pour le printemps.",
    "和[[Wei Lan]]谈了地图的颜色，她想要更深的蓝色。",
    "- [ ] Pay the mooring 📅 2026-05-04\n- [x] Book the ferry to Bergen",
)


def notes() -> Iterator[tuple[str, str]]:
    """The path and the text of each file."""
    yield from NOTES.items()
    for number, (name, (alias, role, place, about)) in enumerate(PEOPLE.items()):
        born = date(1979, 3, 5) + timedelta(days=1234 * number)
        yield (
            f"People/{name}.md",
            (
                f"---\naliases: [{alias}]\ntags: [person]\nborn: {born}\n---\n# {name}\n\n{role.capitalize()} in {place}; {about}.\nphone:: +49 30 55 {100 + 7 * number}\n"
            ),
        )
    for name, (about, due, todos) in PROJECTS.items():
        lines = "".join(f"- [ ] {todo} 📅 {due}\n" for todo in todos)
        yield (
            f"Projects/{name}.md",
            f"---\nstatus: active\ndeadline: {due}\n---\n# {name}\n\n{about}\n\n## To do\n\n{lines}",
        )
    first = date(2026, 3, 1)
    for number in range(38):
        day = first + timedelta(days=number)
        text = f"{WEATHER[number % len(WEATHER)]} {BUSY[number % len(BUSY)]}\n"
        if number % len(BUSY) == len(BUSY) - 1:
            text = f"{WEATHER[number % len(WEATHER)]}\n\n{BUSY[-1]}\n"
        yield f"Daily/{day}.md", f"---\ndate: {day}\ntags: [daily]\n---\n{text}"
    yield (
        "Ideas.canvas",
        json.dumps({"nodes": [{"id": "1", "type": "file", "file": "Projects/Atlas.md"}], "edges": []}),
    )
    yield ".obsidian/app.json", '{"alwaysUpdateLinks": true}'
    yield ".obsidian/workspace.json", '{"main": {}}'
    yield ".trash/Gone.md", "# Gone\n\nNobody should find this.\n"
    yield ".gitignore", ".obsidian/workspace.json\nprivate/\n"
    yield "private/Diary.md", "# Diary\n\nNot for git.\n"


def obsidian_vault(root: Path) -> Path:
    """Writes the vault below a folder, for its user alone, and returns the folder."""
    for name, text in notes():
        path = root / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        os.chmod(path, 0o600)
    for folder, _, _ in os.walk(root):
        os.chmod(folder, 0o700)
    return root
