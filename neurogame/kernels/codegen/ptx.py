"""From LLVM's assembly language to PTX, the assembly language of NVIDIA's GPUs."""

from __future__ import annotations

from typing import Any

from neurogame.errors import MissingExtraError

_TRIPLE = "nvptx64-nvidia-cuda"

_VERSION = "+ptx78"
"""Version of the language: that of CUDA 11.8, which is older than any that torch is built with."""

_INLINE = 225
"""LLVM's usual measure of what is worth inlining."""


def compile_ptx(text: str, target: str) -> str:
    """Optimise a module and return it as PTX.

    Args:
        text: LLVM's assembly language.
        target: LLVM's name of the kind of GPU, as ``sm_90`` (compute capability 9.0); the GPU's
            driver makes the machine code of newer ones from it as well.

    Raises:
        MissingExtraError: this build of llvmlite does not know such GPUs.
    """
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        maker = llvm.Target.from_triple(_TRIPLE)
    except RuntimeError as error:
        raise MissingExtraError(
            f"llvmlite {llvm.llvm_version_info} has no target {_TRIPLE} ({error}): "
            "pip install llvmlite (its wheels have it)"
        ) from error
    machine = maker.create_target_machine(cpu=target, features=_VERSION, opt=3)
    module = llvm.parse_assembly(text)
    module.triple = _TRIPLE
    module.data_layout = str(machine.target_data)
    optimise(module, machine)
    assembly: str = machine.emit_assembly(module)
    return assembly


def optimise(module: Any, machine: Any) -> None:
    """Let LLVM's optimiser work on a module, in place.

    Args:
        module: llvmlite's module.
        machine: llvmlite's target machine.
    """
    import llvmlite.binding as llvm

    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.inlining_threshold = _INLINE
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
