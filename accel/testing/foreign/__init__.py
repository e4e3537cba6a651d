"""Tests of other projects, run on our arrays: their lists of array namespaces get `accel.xp`, once for each device.

SciPy's own tests, with arrays on the CPU and on the simulated device, whose memory no function of NumPy can read::

    SCIPY_ARRAY_API=1 pytest -p accel.testing.plugin --accel-devices=cpu,sim --pyargs scipy.special -k accel

No file of the other project changes. Where a test runs is the default device meanwhile.

`SciPy`, `ScikitLearn` and `ArrayApiExtra` know the tests of these projects; they are used if ``--accel-devices`` is
given.
`AnyProject` serves any project: its setting ``accel_namespaces`` names the parameters that take a namespace.
"""

from accel.testing.foreign.any_project import AnyProject
from accel.testing.foreign.array_api_extra import ArrayApiExtra
from accel.testing.foreign.namespace_plugin import NamespacePlugin
from accel.testing.foreign.scipy import SciPy
from accel.testing.foreign.sklearn import ScikitLearn
from accel.testing.foreign.suite import Suite

__all__ = ["AnyProject", "ArrayApiExtra", "NamespacePlugin", "SciPy", "ScikitLearn", "Suite"]
