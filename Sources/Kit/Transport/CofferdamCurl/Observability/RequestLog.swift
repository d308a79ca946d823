#if Curl
import HTTPTypes
import Logging

/// Logs a request: its start and end at `debug`, its heads at `trace`.
struct RequestLog: Sendable {
    private let logger: Logger
    private let redaction: HeaderRedaction

    init(_ logger: Logger, _ method: MethodLabel, _ origin: RequestOrigin?, _ redaction: HeaderRedaction) {
        var logger = logger
        logger[metadataKey: "method"] = "\(method.name)"
        if let origin { logger[metadataKey: "host"] = "\(origin.authority)" }
        self.logger = logger
        self.redaction = redaction
    }

    func begin(_ request: HTTPRequest) {
        logger.debug("HTTP request begins")
        logger.trace("HTTP request's head", metadata: ["headers": redaction.metadata(of: request.headerFields)])
    }

    func receive(_ head: HTTPResponse) {
        logger.trace(
            "HTTP reply's head",
            metadata: ["status": "\(head.status.code)", "headers": redaction.metadata(of: head.headerFields)]
        )
    }

    func end(_ end: RequestEnd) {
        var metadata: Logger.Metadata = ["duration": "\(end.duration)", "attempts": "\(end.attempts)"]
        if let status = end.status { metadata["status"] = "\(status)" }
        if let error = end.error { metadata["error"] = "\(end.cause?.description ?? error)" }
        logger.debug("HTTP request ended", metadata: metadata)
    }
}
#endif
