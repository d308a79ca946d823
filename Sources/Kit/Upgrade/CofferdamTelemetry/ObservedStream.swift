#if Telemetry
import Cofferdam
import Tracing

/// A stream that is observed from its consumer's first request until it ends or the consumer abandons it.
struct ObservedStream<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    let events: PortEvents<Element>
    let operation: String
    let telemetry: PortTelemetry

    func makeAsyncIterator() -> Iterator { Iterator(source: events.makeAsyncIterator(), stream: self) }

    struct Iterator: AsyncIteratorProtocol {
        var source: any AsyncIteratorProtocol<Element, any Error>
        let stream: ObservedStream
        private var course: Course?

        init(source: any AsyncIteratorProtocol<Element, any Error>, stream: ObservedStream) {
            self.source = source
            self.stream = stream
        }

        mutating func next() async throws -> Element? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            let course = self.course ?? Course(of: stream.operation, stream.telemetry)
            self.course = course
            do {
                let element = try await source.next(isolation: actor)
                if element == nil { course.end(nil) } else { course.observation.countItem() }
                return element
            } catch {
                course.end(error)
                throw error
            }
        }
    }

    /// Ends once. If the consumer abandons the stream, the outcome is `cancelled`.
    final class Course: Sendable {
        let observation: PortObservation
        private let span: (any Tracing.Span)?
        private let isOver = Mutex(false)

        init(of operation: String, _ telemetry: PortTelemetry) {
            observation = telemetry.observe(operation)
            span = telemetry.tracer?.startAnySpan(operation)
        }

        deinit { end(CancellationError()) }

        func end(_ error: (any Error)?) {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            guard isFirst else { return }
            observation.end(error, span: span, isStream: true)
            span?.end()
        }
    }
}
#endif
