"""Archives of pages, unpacked."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path, PurePosixPath

from salticid.errors import UserError


def unpack(archive: Path, folder: Path) -> Path:
    """The new folder, with the plain files of a tar archive in it, whatever it is compressed with.

    Links, devices and names that lead outside are left out. The folder appears only when it is whole, and stays
    as it is if it is there.
    """
    if folder.exists():
        return folder
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        with tarfile.open(archive) as tar:
            # Debian's Python 3.11.2 knows no filters: what they would refuse is refused here.
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            for member in tar:
                if member.isfile() and _stays_inside(member.name):
                    member.mode = 0o644
                    tar.extract(member, partial, set_attrs=False)
    except (tarfile.TarError, EOFError, OSError) as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise UserError(f"cannot unpack {archive}: {error}; fetch it again, or name another") from None
    partial.rename(folder)
    return folder


def _stays_inside(name: str) -> bool:
    """Whether a name in an archive is one inside the folder.

    >>> _stays_inside("./raw/course/x"), _stays_inside("../x"), _stays_inside("/etc/x")
    (True, False, False)
    """
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts
