"""Rewrite a source distribution so that the same files make the same bytes: ``python ci/release_sdist.py FILE``.

Setuptools writes the times, owners and order that it finds on the disk; here the time is ``SOURCE_DATE_EPOCH``.
"""

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path


def rewritten(archive: bytes, time: int) -> bytes:
    """Return a compressed archive with the same files, and nothing of the machine that made it."""
    compressed, plain = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(archive)) as old, tarfile.open(fileobj=plain, mode="w") as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            fixed = tarfile.TarInfo(member.name)
            fixed.type, fixed.size, fixed.mtime = member.type, member.size, time
            fixed.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(fixed, old.extractfile(member) if member.isfile() else None)
    with gzip.GzipFile(fileobj=compressed, mode="wb", filename="", mtime=time) as file:
        file.write(plain.getvalue())
    return compressed.getvalue()


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_bytes(rewritten(path.read_bytes(), int(os.environ["SOURCE_DATE_EPOCH"])))
