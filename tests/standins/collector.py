"""A strict collector of traces: it parses OTLP as protobuf and refuses everything else."""

import asyncio
import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtoSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FORM = "application/x-protobuf"


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as it came over the wire."""

    name: str
    trace: str
    id: str
    parent: str
    began: int
    ended: int
    values: Mapping[str, Any]
    failed: bool
    client: bool


@dataclass
class Collector:
    """Takes batches at /v1/traces; `refuses` answers them with a status, `hangs` not at all."""

    key: str = ""
    refuses: int = 0
    hangs: bool = False
    spans: list[ReceivedSpan] = field(default_factory=list[ReceivedSpan])
    raw: list[bytes] = field(default_factory=list[bytes])
    services: set[str] = field(default_factory=set[str])
    calls: int = 0

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/traces", self._taken, methods=["POST"])])

    def named(self, name: str) -> list[ReceivedSpan]:
        return [span for span in self.spans if span.name == name]

    async def _taken(self, request: Request) -> Response:
        self.calls += 1
        body = await request.body()
        if self.hangs:
            await asyncio.Event().wait()
        if self.refuses:
            return Response(status_code=self.refuses)
        if request.headers["content-type"] != _FORM:
            return Response("not protobuf", status_code=415)
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return Response("no key", status_code=401)
        packed = request.headers.get("content-encoding") == "gzip"
        told = gzip.decompress(body) if packed else body
        batch = ExportTraceServiceRequest()
        batch.ParseFromString(told)
        self.raw.append(told)
        for resource in batch.resource_spans:
            self.services |= {
                str(one.value.string_value)
                for one in resource.resource.attributes
                if one.key == "service.name"
            }
            for scope in resource.scope_spans:
                self.spans.extend(map(_read, scope.spans))
        return Response(b"", media_type=_FORM)


def _read(span: ProtoSpan) -> ReceivedSpan:
    assert (len(span.trace_id), len(span.span_id)) == (16, 8)
    assert len(span.parent_span_id) in (0, 8)
    assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
    return ReceivedSpan(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        {one.key: _value(one.value) for one in span.attributes},
        span.status.code == Status.StatusCode.STATUS_CODE_ERROR,
        span.kind == ProtoSpan.SpanKind.SPAN_KIND_CLIENT,
    )


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return tuple(_value(one) for one in value.array_value.values)
    return getattr(value, kind)
