#if Curl
import HTTPTypes
import Tracing

/// A request's span, following OpenTelemetry's semantic conventions for HTTP client spans.
struct RequestSpan: Sendable {
    private let span: any Tracing.Span

    init(_ tracer: any Tracer, _ method: MethodLabel, _ origin: RequestOrigin?) {
        span = tracer.startAnySpan(method.spanName, ofKind: .client)
        span.updateAttributes { attributes in
            attributes["http.request.method"] = method.name
            guard let origin else { return }
            attributes["server.address"] = origin.host
            attributes["server.port"] = origin.port
            attributes["url.scheme"] = origin.scheme
        }
    }

    func inject(by tracer: any Tracer, into fields: inout HTTPFields) {
        tracer.inject(span.context, into: &fields, using: FieldInjector())
    }

    func end(_ end: RequestEnd) {
        span.updateAttributes { attributes in
            if let status = end.status { attributes["http.response.status_code"] = status }
            if let version = end.version { attributes["network.protocol.version"] = version }
            if end.attempts > 1 { attributes["http.request.resend_count"] = end.attempts - 1 }
            if let error = end.error { attributes["error.type"] = error }
        }
        if let cause = end.cause { span.recordError(cause) }
        if end.isFault { span.setStatus(SpanStatus(code: .error, message: end.error)) }
        span.end()
    }
}

private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        carrier[name] = value
    }
}
#endif
