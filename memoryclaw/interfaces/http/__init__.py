"""HTTP on loopback: JSON in, JSON out, the same answers as the command line's `--json`; docs/http.md describes it.

This module imports nothing heavy; `listening` and `serve` need the packages that `missing` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from socket import socket

    from memoryclaw.daemon.daemon import Daemon
    from memoryclaw.fleet.node import FleetNode
    from memoryclaw.interfaces.http.workers import Apps, MountedApp

__all__ = ["listening", "missing", "serve", "serve_node"]
_NEEDS = ("starlette", "uvicorn")


def missing() -> list[str]:
    """The packages that serving needs and that are not installed."""
    return [name for name in _NEEDS if find_spec(name) is None]


def listening(host: str, port: int, *, allow_remote: bool) -> socket:
    """A socket that listens; `allow_remote` lets it be beyond this machine."""
    from memoryclaw.interfaces.http.server import listening

    return listening(host, port, allow_remote=allow_remote)


def serve(
    daemon: Daemon,
    listener: socket,
    host: str,
    *,
    ready: Callable[[dict[str, Any]], None],
    report: Callable[[Exception], str],
    mounted: Callable[[Apps], Mapping[str, MountedApp]] = lambda _: {},
) -> int:
    """Answers until a signal ends it, and returns that signal; 0 when the daemon could not go on.

    Args:
        daemon: runs beside the answers, from the first to the last.
        listener: where requests come in.
        host: what the person called that address.
        ready: is told the address, once there is somebody to answer.
        report: keeps the details of a bug, and says where.
        mounted: other applications by path, given what lends them open vaults.
    """
    from memoryclaw.interfaces.http.server import serve

    return serve(daemon, listener, host, ready=ready, report=report, mounted=mounted)


def serve_node(
    node: FleetNode,
    listener: socket,
    host: str,
    *,
    tell: Callable[[Mapping[str, Any]], None],
    report: Callable[[Exception], str],
    ready: Callable[[dict[str, Any]], None],
    proxy: bool = False,
    open_metrics: bool = False,
    names: tuple[str, ...] = (),
    readers: int = 8,
) -> int:
    """Answers for the vaults of a fleet until a signal ends it, then drains, and returns that signal.

    Args:
        node: holds the vaults that are at home here.
        listener: where requests come in.
        host: what the person called that address.
        tell: is given each request that was answered, as a log keeps it.
        report: keeps the details of a bug, and says where.
        ready: is told the address, once there is somebody to answer.
        proxy: passes on what another node must answer, instead of saying where to ask.
        open_metrics: `/metrics` answers other machines, too.
        names: more names by which it may be asked, such as that of a load balancer.
        readers: requests that read at a time.
    """
    from memoryclaw.interfaces.http.fleet import NodeSettings, serve

    settings = NodeSettings(node, tell, report, proxy, open_metrics, names, readers)
    return serve(settings, listener, host, ready=ready)
