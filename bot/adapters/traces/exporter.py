"""Sends spans to a collector by OTLP over HTTP, in a thread of the library: nobody waits for it."""

import logging
from collections.abc import Mapping
from datetime import datetime
from threading import Thread

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from bot.adapters.traces import names
from bot.adapters.traces.span import Span, span_id, trace_id

_MOST = 2_048
"""Spans that wait for a collector; more are dropped."""

_TRY_SECONDS = 5.0
_END_SECONDS = 2.0
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_LIBRARY = "opentelemetry"


class Exporter:
    """Takes spans at once, and sends them in batches; a collector that fails loses them."""

    def __init__(self, url: str, headers: Mapping[str, str], version: str) -> None:
        told = {"service.name": "steward", "service.version": version}
        self._resource = Resource(told)
        self._scope = InstrumentationScope("steward", version)
        # Its lines would come with each batch that a collector refuses.
        logging.getLogger(_LIBRARY).setLevel(logging.CRITICAL)
        self._exporter = OTLPSpanExporter(url, headers=dict(headers), timeout=_TRY_SECONDS)
        self._processor = BatchSpanProcessor(
            self._exporter, max_queue_size=_MOST, export_timeout_millis=_TRY_SECONDS * 1000
        )

    def send(self, span: Span) -> None:
        """Takes a span; returns at once in any case."""
        self._processor.on_end(self._readable(span))

    def reached(self) -> bool:
        """Returns True if the collector takes an empty batch; blocks for some seconds."""
        return self._exporter.export([]) is SpanExportResult.SUCCESS

    def end(self) -> None:
        """Sends what waits, within two seconds; blocks."""
        # The library would wait for a collector that hangs for half a minute.
        last = Thread(target=self._processor.shutdown, name="last traces", daemon=True)
        last.start()
        last.join(_END_SECONDS)
        self._exporter.shutdown()

    def _readable(self, span: Span) -> ReadableSpan:
        values = dict(span.values) | ({names.ERROR: span.fault} if span.fault else {})
        return ReadableSpan(
            name=span.name,
            context=_context(span.turn, span.key),
            parent=None if span.parent is None else _context(span.turn, span.parent),
            resource=self._resource,
            attributes=values,
            kind=SpanKind.CLIENT if span.client else SpanKind.INTERNAL,
            status=Status(StatusCode.ERROR if span.fault else StatusCode.UNSET),
            start_time=_nanoseconds(span.began),
            end_time=_nanoseconds(span.ended),
            instrumentation_scope=self._scope,
        )


def _context(turn: str, key: str) -> SpanContext:
    return SpanContext(trace_id(turn), span_id(turn, key), is_remote=False, trace_flags=_SAMPLED)


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000
