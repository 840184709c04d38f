"""Playouts by many threads, each with half a word of lanes: the same loop, in a frame of its own.

The text leaves two things open, which :func:`gpu_module` fills in: the number of the thread that
runs it, and the way to its memory. So what a GPU runs can be run on a processor, thread after
thread, but for these few lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.kernels.codegen.driver import play_lanes
from neurogame.kernels.codegen.frame import ARGUMENTS, Argument, GateCode
from neurogame.kernels.codegen.text import Text, declarations
from neurogame.kernels.codegen.thread_frame import THREAD_LANES, ThreadFrame


@final
@dataclass(frozen=True)
class ThreadText:
    """The function ``play(arguments)`` of one thread.

    Attributes:
        functions: the pieces of the gates that it calls.
        body: its instructions.
        kept: rows that are kept between calls behind those of the fluents.
        cells: half words that the thread's gates share, in memory or registers.
    """

    functions: str
    body: str
    kept: int
    cells: int


def write_threads(code: GateCode, age_bits: int, *, stored: bool) -> ThreadText:
    """Write what one thread does; see :class:`Argument` and :class:`ThreadFrame`.

    Args:
        code: the gates, straight-line.
        age_bits: see :func:`~neurogame.kernels.codegen.driver.write_module`.
        stored: whether the cells of the gates are memory; else the optimiser makes registers of
            them.
    """
    text = Text(1, ternary=False, stored=stored, bits=THREAD_LANES)
    frame = ThreadFrame(text, code, age_bits)
    text.begin("entry")
    frame.begin()
    thread = text.let("call i64 @thread(ptr %arguments)")
    end = frame.argument[Argument.BLOCK_END]
    with text.when(text.let(f"icmp slt i64 {thread}, {end}"), "inside"):
        frame.set_block(thread)
        open_ = text.load(frame.columns(Argument.OPEN, 0))
        with text.when(text.any(open_), "open"):
            frame.enter()
            paused = text.new_label("paused")
            pause = (frame.argument[Argument.PAUSE], paused)
            play_lanes(frame, frame.argument[Argument.LOOKED], pause)
            text.do(f"br label %{paused}")
            text.begin(paused)
            frame.leave()
    text.do("ret void")
    return ThreadText(
        functions="".join(text.functions),
        body="\n".join(text.lines),
        kept=len(frame.kept()),
        cells=code.cell_count,
    )


def gpu_module(text: ThreadText) -> str:
    """Return the module for an NVIDIA GPU: a kernel, with the arguments by value."""
    thread = """
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %before = mul i32 %block, %size
  %narrow = add i32 %before, %own
  %number = zext i32 %narrow to i64"""
    registers = "".join(
        f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()\n" for name in ("tid", "ntid", "ctaid")
    )
    head = f"ptx_kernel void @play(ptr byval([{ARGUMENTS} x i64]) align 8 %arguments)"
    # The optimiser does not see through this, so one register leads to all cells.
    near = '%near = call ptr addrspace(5) asm "cvta.to.local.u64 $0, $1;", "=l,l"(ptr %memory)'
    return registers + _module(text, head, thread, near)


def _module(text: ThreadText, head: str, thread: str, near: str) -> str:
    """Put a module together."""
    return "\n".join(
        [
            declarations(1, ternary=False, bits=THREAD_LANES),
            f"define internal i64 @thread(ptr %arguments) alwaysinline {{{thread}",
            "  ret i64 %number\n}",
            "define internal ptr addrspace(5) @near(ptr %memory) alwaysinline {",
            f"  {near}\n  ret ptr addrspace(5) %near\n}}",
            f"{text.functions}define {head} {{\n{text.body}\n}}\n",
        ]
    )
