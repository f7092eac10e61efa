"""Imports packages that Python may lack, for the scripts that need them."""
import importlib
import os
import sys

from csv_files import stop

PACKAGED = "/usr/bin/python3"  # it may have packages that the first Python in PATH has not


def require(*names):
    """Imports these packages.

    If one is missing, starts the script again with the distribution's Python. If that lacks it
    too, stops with exit code 2 and names the package.
    """
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            if os.path.exists(PACKAGED) and not os.path.samefile(PACKAGED, sys.executable):
                os.execv(PACKAGED, [PACKAGED, *sys.argv])
            stop(2, f"{sys.executable} has no {name}: sudo apt-get install python3-{name}, or see "
                    "scripts/install_deps.sh --plots")
