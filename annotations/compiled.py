"""Queries that are compiled once per connection and then run with other values.

Writing a queryset and turning it into SQL costs Django a hundred times what sending it costs: ten milliseconds for the
query that finds an expert with their study. So the few statements of an answer are written as querysets, with
parameters where values will stand, and keep their SQL. PostgreSQL keeps their plans as well (prepared statements).

    BY_TOKEN = Compiled(lambda token: Assignment.objects.filter(token=token), token=UUIDField())
    BY_TOKEN.first(token=...)

Managers, permissions in querysets, converters and `select_related` work as always; only values may change from one run
to the next, so a queryset whose shape depends on a value becomes two of them. Statements pass through Django's cursors:
whoever counts or explains queries sees them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import BigIntegerField, Expression, Field, Model, QuerySet
from django.db.models.query import FlatValuesListIterable, ValuesListIterable, get_related_populators
from django.db.models.sql import UpdateQuery
from django.db.transaction import TransactionManagementError

Found = TypeVar("Found")


class Parameter(Expression):
    """Where a value will stand. Its field says how the value is written for the database."""

    def __init__(self, name: str, field: "Field[Any, Any]") -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", (self,)

    def prepared(self, value: Any, connection: Any) -> Any:
        return self.output_field.get_db_prep_save(value, connection)


class _Statement:
    """SQL with the values that never change in it, and the parameters in their order."""

    def __init__(self, compiled: tuple[str, Sequence[Any]], connection: Any) -> None:
        sql, params = compiled
        self._is_postgresql = connection.vendor == "postgresql"
        # A constant in the text needs no type of its own and lets PostgreSQL and SQLite use partial indexes.
        told = [one if isinstance(one, Parameter) else _Constant(one) for one in params]
        if self._is_postgresql:
            from psycopg.sql import Literal

            written = ("%s" if isinstance(one, Parameter) else _escaped(Literal(one.value), connection) for one in told)
            sql = _with(sql, written)
            told = [one for one in told if isinstance(one, Parameter)]
        self.sql = sql
        self._told = told

    def execute(self, connection: Any, values: dict[str, Any]) -> Any:
        """The cursor that ran it, with these values."""
        sent = [
            one.prepared(values[one.name], connection) if isinstance(one, Parameter) else one.value
            for one in self._told
        ]
        cursor = _cursor(connection, is_postgresql=self._is_postgresql)
        cursor.execute(self.sql, sent)
        return cursor


class _Constant:
    def __init__(self, value: Any) -> None:
        self.value = value


def _escaped(literal: Any, connection: Any) -> str:
    connection.ensure_connection()
    return str(literal.as_string(connection.connection)).replace("%", "%%")


def _with(sql: str, written: Iterator[str]) -> str:
    """`sql` with its `%s` replaced one after the other; `%%` stays."""
    first, *rest = sql.split("%s")
    return first + "".join(text + part for text, part in zip(written, rest, strict=True))


def _cursor(connection: Any, *, is_postgresql: bool) -> Any:
    # Where statements are logged (in tests and while developing), they are to be read with their values in them.
    if not is_postgresql or connection.queries_logged:
        return connection.cursor()
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.ensure_connection()
    # The server's own parameters, without which it cannot keep a plan.
    return connection._prepare_cursor(ServerBindingCursor(connection.connection))  # type: ignore[call-arg]  # the stubs know psycopg2


class _Kept:
    """Something compiled for each connection; connections are never shared by threads."""

    def _kept(self, connection: Any) -> Any:
        kept = connection.__dict__.setdefault("compiled_statements", {})
        found = kept.get(self)
        if found is None:
            found = kept[self] = self._compiled(connection)
        return found

    def _compiled(self, connection: Any) -> Any:
        """What is kept."""
        raise NotImplementedError  # each kind below says what


class Compiled(_Kept, Generic[Found]):
    """A queryset, compiled once. `make` takes parameters by name and returns it; fields say what they are.

    A parameter without a field is a whole number.
    """

    def __init__(self, make: Callable[..., "QuerySet[Any, Any]"], **fields: "Field[Any, Any] | None") -> None:
        self._make, self._fields = make, fields

    def first(self, **values: Any) -> Found | None:
        """The first row, as the queryset would return it. Its own slice says how many are read."""
        found = self.all(**values)
        return found[0] if found else None

    def all(self, **values: Any) -> list[Found]:
        connection = connections[DEFAULT_DB_ALIAS]
        statement, read, is_locking = self._kept(connection)
        if is_locking and not connection.in_atomic_block:
            raise TransactionManagementError("rows are locked only within a transaction")
        with statement.execute(connection, values) as cursor:
            return [read(row) for row in cursor.fetchall()]

    def _compiled(self, connection: Any) -> tuple[_Statement, Callable[[Any], Any], bool]:
        queryset = self._make(**_parameters(self._fields))
        compiler = queryset.query.get_compiler(using=connection.alias)
        statement = _Statement(compiler.as_sql(), connection)
        return statement, _reader(queryset, compiler, connection), queryset.query.select_for_update


class CompiledUpdate(_Kept):
    """An update, compiled once: the rows of a queryset, and the names of the fields that are set."""

    def __init__(self, make: Callable[..., "QuerySet[Any, Any]"], *sets: str, **fields: "Field[Any, Any] | None"):
        self._make, self.sets, self._fields = make, sets, fields

    def run(self, **values: Any) -> int:
        """Set the fields and return how many rows there were."""
        connection = connections[DEFAULT_DB_ALIAS]
        with self._kept(connection).execute(connection, values) as cursor:
            return int(cursor.rowcount)

    def _compiled(self, connection: Any) -> _Statement:
        queryset = self._make(**_parameters(self._fields))
        query: Any = queryset.query.chain(UpdateQuery)
        fields = {name: queryset.model._meta.get_field(name) for name in self.sets}
        query.add_update_values({name: Parameter(name, _plain(field)) for name, field in fields.items()})
        query.annotations = {}
        return _Statement(query.get_compiler(using=connection.alias).as_sql(), connection)


class CompiledInsert(_Kept):
    """Stores one row of a model, all of whose fields are given; nothing if a unique one among them is taken."""

    def __init__(self, model: type[Model]) -> None:
        self._model = model
        self._fields = [field for field in model._meta.concrete_fields if not field.primary_key]

    def run(self, row: Model) -> bool:
        """Store the row and give it its key; False if it, or one that excludes it, is there already."""
        connection = connections[DEFAULT_DB_ALIAS]
        values = {field.attname: field.pre_save(row, add=True) for field in self._fields}
        with self._kept(connection).execute(connection, values) as cursor:
            found = cursor.fetchone()
        if found is not None:
            row.pk, row._state.adding, row._state.db = found[0], False, DEFAULT_DB_ALIAS
        return found is not None

    def _compiled(self, connection: Any) -> _Statement:
        quote = connection.ops.quote_name
        table, key = quote(self._model._meta.db_table), quote(self._model._meta.pk.column)
        columns = ", ".join(quote(field.column) for field in self._fields)
        places = ", ".join("%s" for _ in self._fields)
        sql = f"INSERT INTO {table} ({columns}) VALUES ({places}) ON CONFLICT DO NOTHING RETURNING {key}"  # noqa: S608 - names of a table and its columns
        return _Statement((sql, [Parameter(field.attname, _plain(field)) for field in self._fields]), connection)


def _parameters(fields: dict[str, "Field[Any, Any] | None"]) -> dict[str, Parameter]:
    return {name: Parameter(name, field or BigIntegerField()) for name, field in fields.items()}


def _plain(field: Any) -> Any:
    """What a field's value is written as; a foreign key's as the key that it names."""
    return field.target_field if field.is_relation else field


def _reader(queryset: Any, compiler: Any, connection: Any) -> Callable[[Any], Any]:
    """How a row becomes what the queryset returns: an object with its related ones and annotations, or a tuple."""
    converters = list(compiler.get_converters([column[0] for column in compiler.select]).items())
    convert = [(position, functions, expression) for position, (functions, expression) in converters]

    def converted(row: Any) -> list[Any]:
        values = list(row)
        for position, functions, expression in convert:
            value = values[position]
            for function in functions:
                value = function(value, expression, connection)
            values[position] = value
        return values

    if queryset._iterable_class is FlatValuesListIterable:
        return lambda row: converted(row)[0]
    if queryset._iterable_class is ValuesListIterable:
        return lambda row: tuple(converted(row))
    told = compiler.klass_info
    model, positions = told["model"], told["select_fields"]
    start, end = positions[0], positions[-1] + 1
    names = [column[0].target.attname for column in compiler.select[start:end]]
    related = get_related_populators(told, compiler.select, connection.alias)  # type: ignore[call-arg]  # the stubs are of a later Django
    annotations = list((compiler.annotation_col_map or {}).items())

    def read(row: Any) -> Any:
        values = converted(row)
        made = model.from_db(connection.alias, names, values[start:end])
        for populator in related:
            populator.populate(values, made)
        for name, position in annotations:
            setattr(made, name, values[position])
        return made

    return read
