"""What a crawler may believe about a page while it runs; one file each, found by its name."""

import sys

from salticid.protocols import Judge
from salticid.registry import Registry

__all__ = ["judges"]

judges: Registry[Judge] = Registry("judge", sys.modules[__name__], "score")
