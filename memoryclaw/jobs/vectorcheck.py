"""How the vectors of a vault stand, for `status` and `doctor`. Looks only."""

from __future__ import annotations

from memoryclaw.adapters.llm import MindError
from memoryclaw.core.errors import VectorsError
from memoryclaw.jobs.doctor import Check
from memoryclaw.jobs.vectors import Vectors

_MAKE = "`memoryclaw sync --vectors` makes them"
_WORDS = "until then words alone answer"


def check(vectors: Vectors) -> Check:
    """Whether questions can be answered with vectors."""
    try:
        recipe, standing = vectors.recipe, vectors.standing()
        if not vectors.store.exists():
            return Check("vectors", "advice", f"there are none yet; {_MAKE}")
        if not vectors.store.sound():
            return Check("vectors", "problem", f"they are damaged; {_MAKE} anew, {_WORDS}")
        if vectors.store.recipe() != recipe:
            return Check("vectors", "advice", f"they are of another model; {_MAKE} anew, {_WORDS}")
    except (MindError, VectorsError) as error:
        return Check("vectors", "problem", f"{error}; {_WORDS}")
    if standing.missing:
        told = f"{standing.missing} of {standing.units} units have none yet"
        return Check("vectors", "advice", f"{told}; {_MAKE}")
    return Check("vectors", "ok", f"all {standing.units} units have one by {standing.model}")
