"""A command that reads a prompt on standard input and prints an answer: `claude -p`, `codex exec`, any script.

It runs without a shell, in an empty folder that is removed afterwards, in a process group that is killed at its end.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from memoryclaw.models.llm import MOST_BYTES, ModelError, Prompt, Schema

# What a program needs to find its own login and its language; keys of other programs are not its business.
_PASSED = ("HOME", "LANG", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")
_ALONE = "Answer from the text below alone: use no tools, read and write no files, and ask nothing back."
_FORM = "Print one JSON object of this JSON schema, and nothing else:"
_CHUNK = 1 << 16
_LOOK = 0.05  # seconds between two looks whether the program has ended
_LONGEST_WORDS = 200  # characters of its last words that are told


class Command:
    """One command as a model.

    Args:
        timeout: seconds from its start until the last byte of its answer.
        environ: the environment; only what such a program needs is passed on.
        refusal: why it must not be asked; empty when it may.
        cleaned: makes a sentence of the program's harmless, before it is told.
    """

    def __init__(
        self,
        words: Sequence[str],
        timeout: float,
        environ: Mapping[str, str],
        *,
        refusal: str = "",
        cleaned: Callable[[str], str] = str,
    ) -> None:
        self._words = list(words)
        self._timeout = timeout
        passed = [name for name in environ if name in _PASSED or name.startswith(("LC_", "XDG_"))]
        self._environ = {name: environ[name] for name in passed}
        self._refusal = refusal
        self._cleaned = cleaned
        self.is_local = False  # nobody knows where it sends what it reads
        self.name = f"command/{os.path.basename(words[0])}" if words else "command"

    def reach(self) -> None:
        """Raises ModelError when the command must not be run, or is not there."""
        if self._refusal:
            raise ModelError(self._refusal, lasting=True)
        self._program()

    def ask(self, prompt: Prompt, schema: Schema) -> str:
        """What the command prints."""
        program = self._program()
        form = json.dumps(schema, ensure_ascii=False)
        text = f"{prompt.system}\n\n{_ALONE}\n\n{prompt.user}\n\n{_FORM}\n{form}\n"
        with tempfile.TemporaryDirectory(prefix="memoryclaw-") as folder, tempfile.TemporaryFile() as stdin:
            stdin.write(text.encode("utf-8", "replace"))
            stdin.seek(0)
            with _ending_with_us() as heard_from_now:
                try:
                    child = subprocess.Popen(
                        [program, *self._words[1:]],
                        cwd=folder,
                        env=self._environ,
                        stdin=stdin,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        start_new_session=True,
                    )
                except OSError as error:
                    sentence = f"`{self._words[0]}` could not be started ({error.strerror})"
                    raise ModelError(sentence, lasting=True) from None
                with child:
                    try:
                        heard_from_now()
                        out, err = self._heard(child)
                    finally:
                        # Whatever it started goes with it, also after Ctrl-C and when it ended well.
                        with suppress(ProcessLookupError, PermissionError):
                            os.killpg(child.pid, signal.SIGKILL)
        if code := child.returncode:
            ending = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise ModelError(f"`{self._words[0]}` {ending}{self._last_words(err)}")
        if not out.strip():
            raise ModelError(f"`{self._words[0]}` printed nothing{self._last_words(err)}")
        return out.decode("utf-8", "replace")

    def _program(self) -> str:
        name = os.path.expanduser(self._words[0])
        path = shutil.which(name, path=self._environ.get("PATH", os.defpath))
        if path is None or not os.path.isabs(path):  # it runs in a folder where a relative path leads nowhere
            a_list, a_name = "a list, such as [claude, -p]", "a name on the PATH, or an absolute path"
            hint = a_list if " " in name else a_name
            raise ModelError(f"there is no program `{name}`; llm.command must be {hint}", lasting=True)
        return path

    def _heard(self, child: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
        """What the program printed until it ended. A child that it left behind may hold the pipes open: nobody waits for that."""
        assert child.stdout is not None  # noqa: S101 - both are pipes
        assert child.stderr is not None  # noqa: S101
        pipes = {child.stdout.fileno(): b"", child.stderr.fileno(): b""}
        end = time.monotonic() + self._timeout
        with selectors.DefaultSelector() as selector:
            for pipe in pipes:
                os.set_blocking(pipe, False)
                selector.register(pipe, selectors.EVENT_READ)
            over = False
            while selector.get_map():
                if time.monotonic() >= end:
                    raise ModelError(f"`{self._words[0]}` took too long")
                ready = selector.select(0 if over else _LOOK)
                if over and not ready:
                    break
                for key, _ in ready:
                    if chunk := os.read(key.fd, _CHUNK):
                        pipes[key.fd] += chunk
                    else:
                        selector.unregister(key.fd)
                    if len(pipes[key.fd]) > MOST_BYTES:
                        raise ModelError(f"`{self._words[0]}` printed more than {MOST_BYTES // 1000:,} kB")
                over = over or child.poll() is not None
            try:
                child.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise ModelError(f"`{self._words[0]}` took too long") from None
        out, err = pipes.values()
        return out, err

    def _last_words(self, err: bytes) -> str:
        """The last line of its standard error, where there is one."""
        last = err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        words = self._cleaned(last[: _LONGEST_WORDS * 4])[:_LONGEST_WORDS]
        return f": {words}" if words else ""


@contextmanager
def _ending_with_us() -> Iterator[Callable[[], None]]:
    """Lets a signal that would end this process at once end the command first. Only the main thread hears of signals.

    What it yields is to be called when the command can be ended: a signal that comes while it is being started waits until then.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    ours = [
        number
        for number, handler in before.items()
        if handler in (signal.SIG_DFL, signal.default_int_handler)
    ]

    def hear() -> None:
        for number in ours:
            signal.signal(number, signal.default_int_handler)
        if came:
            raise KeyboardInterrupt

    for number in ours:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield hear
    finally:
        for number in ours:
            signal.signal(number, before[number])
