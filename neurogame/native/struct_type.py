"""What the compiler knows of structs: their types, reading and writing fields, calling functions.

The other half of :mod:`neurogame.native.struct`, which says what a struct is.
"""

from __future__ import annotations

import operator
from typing import Any, final

from llvmlite import ir
from numba.core import typing as _typing
from numba.core.typing.templates import AbstractTemplate as _AbstractTemplate
from numba.core.typing.templates import infer_global as _infer_global

from neurogame.native.layout import (
    ArrayField,
    EntryField,
    Field,
    NumberField,
    SequenceField,
    StructField,
)
from neurogame.untyped import AttributeTemplate, cgutils, extending, numba, types

# They are not annotated.
typing: Any = _typing
AbstractTemplate: Any = _AbstractTemplate
infer_global: Any = _infer_global

_WORD = ir.IntType(64)
_CALL = "neurogame.native.struct_type.call"


@final
class StructType(types.Type):  # type: ignore[misc]
    """The compiler's type of a struct: a pointer to its fields.

    Attributes:
        struct: the class, a subclass of :class:`~neurogame.native.struct.Struct`.
    """

    def __init__(self, struct: Any) -> None:
        self.struct = struct
        super().__init__(f"Struct[{struct.__module__}.{struct.__qualname__}]")

    def field(self, name: str) -> Field | None:
        """Return a field by its name, None if there is no such."""
        member: Field | None = self.struct.layout().get(name)
        return member


@final
class EntryType(types.Callable):  # type: ignore[misc]
    """The compiler's type of a function that is called by its address, with structs.

    Attributes:
        parameters: types of what it takes.
    """

    def __init__(self, parameters: tuple[StructType, ...]) -> None:
        self.parameters = parameters
        super().__init__(f"Entry[{', '.join(str(one) for one in parameters)}]")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call."""
        if kws or tuple(args) != self.parameters:
            return None
        return typing.signature(types.void, *self.parameters, recvr=self)

    def get_call_signatures(self) -> Any:
        """Return all signatures."""
        return [typing.signature(types.void, *self.parameters, recvr=self)], False

    def get_impl_key(self, sig: Any) -> str:
        """Return what its implementation is registered by."""
        return _CALL


@final
class SequenceType(types.Type):  # type: ignore[misc]
    """The compiler's type of several structs: a pointer to their pointers.

    Attributes:
        item: type of each.
    """

    def __init__(self, item: StructType) -> None:
        self.item = item
        super().__init__(f"Sequence[{item}]")


for _kind in (StructType, SequenceType, EntryType):

    @extending.register_model(_kind)
    class _Pointer(extending.models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _WORD.as_pointer())


@extending.unbox(StructType)  # type: ignore[untyped-decorator]
def _unbox(kind: Any, value: Any, c: Any) -> Any:
    """Take the address of a Python object's memory; the caller keeps the object."""
    address = c.pyapi.object_getattr_string(value, "address")
    number = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    pointer = c.builder.inttoptr(number, _WORD.as_pointer())
    return extending.NativeValue(pointer, is_error=failed)


@extending.infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = StructType

    def generic_resolve(self, kind: StructType, name: str) -> Any:
        field = kind.field(name)
        return None if field is None else type_of(field)


def type_of(field: Field) -> Any:
    """Return the compiler's type of a field."""
    match field:
        case NumberField(is_real=is_real, is_narrow=is_narrow):
            if is_real:
                return types.float32 if is_narrow else types.float64
            return types.int64
        case ArrayField(dtype=dtype, ndim=ndim, is_strided=is_strided):
            kind = numba.from_dtype(dtype)
            return types.Array(kind, ndim, "A" if is_strided else "C")
        case StructField(struct=struct):
            return struct.compiler_type()
        case SequenceField(struct=struct):
            return SequenceType(struct.compiler_type())
        case EntryField(parameters=parameters):
            return EntryType(tuple(one.compiler_type() for one in parameters))


@extending.lower_getattr_generic(StructType)  # type: ignore[untyped-decorator]
def _read(context: Any, builder: Any, kind: StructType, struct: Any, name: str) -> Any:
    field = kind.field(name)
    assert field is not None
    place = _place(builder, struct, field.place, _bits(field))
    match field:
        case NumberField(is_real=True):
            real = ir.FloatType() if field.is_narrow else ir.DoubleType()
            return builder.load(builder.bitcast(place, real.as_pointer()))
        case NumberField(is_narrow=is_narrow):
            number = builder.load(place)
            return builder.sext(number, _WORD) if is_narrow else number
        case ArrayField():
            return _read_array(context, builder, type_of(field), place)
        case _:
            return builder.inttoptr(_constant_load(builder, place), _WORD.as_pointer())


@extending.lower_setattr_generic(StructType)  # type: ignore[untyped-decorator]
def _write(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
    field = sig.args[0].field(name)
    place = _place(builder, args[0], field.place, _bits(field))
    match field:
        case NumberField(is_real=True):
            builder.store(args[1], builder.bitcast(place, args[1].type.as_pointer()))
        case NumberField(is_narrow=is_narrow):
            narrow = builder.trunc(args[1], ir.IntType(32)) if is_narrow else args[1]
            builder.store(narrow, place)
        case ArrayField():
            array = context.make_array(sig.args[1])(context, builder, args[1])
            words = [
                builder.ptrtoint(array.data, _WORD),
                *cgutils.unpack_tuple(builder, array.shape),
            ]
            if field.is_strided:
                words += cgutils.unpack_tuple(builder, array.strides)
            for index, word in enumerate(words):
                builder.store(word, _place(builder, place, index, 64))
        case _:
            builder.store(builder.ptrtoint(args[1], _WORD), place)


@infer_global(operator.getitem)
class _Items(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 2 and isinstance(args[0], SequenceType):
            return typing.signature(args[0].item, args[0], types.int64)
        return None


@extending.lower_builtin(operator.getitem, SequenceType, types.int64)  # type: ignore[untyped-decorator]
def _item(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    place = builder.gep(args[0], [args[1]], inbounds=True)
    return builder.inttoptr(_constant_load(builder, place), _WORD.as_pointer())


@extending.lower_builtin(_CALL, EntryType, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
def _call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in args[1:]])
    builder.call(builder.bitcast(args[0], kind.as_pointer()), args[1:])
    return context.get_dummy_value()


def _bits(field: Field) -> int:
    return 32 if isinstance(field, NumberField) and field.is_narrow else 64


def _place(builder: Any, struct: Any, place: int, bits: int) -> Any:
    """Return a pointer to a word of a struct."""
    whole = builder.bitcast(struct, ir.IntType(bits).as_pointer())
    return builder.gep(whole, [ir.Constant(ir.IntType(32), place)], inbounds=True)


def _constant_load(builder: Any, place: Any) -> Any:
    """Load a word that stays the same while compiled code runs, so that it is read once."""
    word = builder.load(place)
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def _read_array(context: Any, builder: Any, kind: Any, place: Any) -> Any:
    """Load an array, which has no count of references: Python keeps it."""
    words = [
        _constant_load(builder, _place(builder, place, index, 64))
        for index in range(1 + kind.ndim * (1 if kind.layout == "C" else 2))
    ]
    shape = words[1 : 1 + kind.ndim]
    return make_array(context, builder, kind, words[0], shape, words[1 + kind.ndim :])


def make_array(
    context: Any, builder: Any, kind: Any, address: Any, shape: Any, strides: Any = ()
) -> Any:
    """Generate an array at an address, without a count of references.

    Args:
        context: the compiler's.
        builder: LLVM's.
        kind: type of the array.
        address: a word.
        shape: words.
        strides: words; none: those of rows that follow each other.
    """
    array = context.make_array(kind)(context, builder)
    size = context.get_constant(
        types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype))
    )
    if not strides:
        strides = [size]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
    context.populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=cgutils.pack_array(builder, shape, ty=_WORD),
        strides=cgutils.pack_array(builder, strides, ty=_WORD),
        itemsize=size,
        meminfo=None,
    )
    return array._getvalue()
