"""Which file systems tell of changes that are made elsewhere. Reads the mount table, nothing else."""

from __future__ import annotations

import os
import re

# What another machine (or another kernel) writes there never becomes an event here.
_REMOTE = re.compile(
    r"nfs|cifs|smb|9p|afs|ceph|gluster|lustre|vboxsf|vmhgfs|virtiofs|prl_fs|drvfs|fuse\.(sshfs|rclone|s3fs|davfs|gvfsd)"
)
_TABLE = "/proc/self/mountinfo"


def sends_no_events(path: str, table: str = _TABLE) -> str:
    """Why changes below a path may come without an event, or an empty string."""
    try:
        with open(table, encoding="utf-8", errors="surrogateescape") as lines:
            kind = _kind_of(os.path.realpath(path), lines.read())
    except OSError:
        return ""
    return f"a {kind} file system sends no events of what other machines write" if _REMOTE.match(kind) else ""


def _kind_of(path: str, table: str) -> str:
    """The type of the file system that holds a path: of the longest mount point above it, and of those the last."""
    best, kind = "", ""
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        if f"{path}/".startswith(f"{point.rstrip('/')}/") and len(point) >= len(best):
            best, kind = point, after.split(" ")[0]
    return kind
