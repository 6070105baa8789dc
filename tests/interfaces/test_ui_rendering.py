"""Notes as Obsidian shows them: what is only there for links is hidden, a callout has its title, code stays as it is."""

from __future__ import annotations

import pytest

from memoryclaw.interfaces.ui.rendering import markdown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("> [!warning] Allergy\n> No penicillin.", "<p><strong>Allergy</strong><br>\nNo penicillin.</p>"),
        ("> [!note]-\n> x", "<p><strong>Note</strong><br>\nx</p>"),
        ("> [!a] <script>", "<strong>&lt;script&gt;</strong>"),
        ("> said [!note] in passing", "<p>said [!note] in passing</p>"),
        ("- Nora: yes ^l3", "<li>Nora: yes</li>"),
        ("`code ^x`", "<code>code ^x</code>"),
        ("```\ny ^z\n```", "<code>y ^z\n</code>"),
        ("%% what the agent may still read %%", "%% what the agent may still read %%"),
    ],
)
def test_a_note_looks_as_it_is_meant(written: str, shown: str) -> None:
    assert shown in markdown(written)
