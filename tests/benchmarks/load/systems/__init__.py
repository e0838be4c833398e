"""The systems that are measured, one file each: how it is started, how one user answers, what must be stored after.

The client's process imports the same files for the users in them, so nothing heavy is imported at their top.
"""

from tests.benchmarks.load.systems.system import System


def systems() -> dict[str, System]:
    """Every system by name, ours first."""
    from tests.benchmarks.load.systems import bare, doccano, here, label_studio, potato

    found = (
        here.Here(),
        here.BehindNginx(),
        bare.Bare(),
        potato.Potato(),
        doccano.Doccano(),
        label_studio.LabelStudio(),
    )
    return {system.name: system for system in found}
