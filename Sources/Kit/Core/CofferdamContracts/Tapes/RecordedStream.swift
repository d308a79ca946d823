import Cofferdam

/// A stream whose elements are recorded as they reach the consumer.
struct RecordedStream<Record: TapeRecord>: AsyncSequence, Sendable {
    typealias Element = Record.Value
    typealias Failure = any Error

    let stream: any AsyncSequence<Element, any Error> & Sendable
    let recorder: TapeRecorder
    let operation: String
    let arguments: TapeValue
    let errors: (any TapeErrorRecord.Type)?

    func makeAsyncIterator() -> Iterator {
        Iterator(
            source: stream.makeAsyncIterator(),
            recorded: self,
            number: recorder.begin(operation, .read, arguments, isStream: true)
        )
    }

    struct Iterator: AsyncIteratorProtocol {
        var source: any AsyncIteratorProtocol<Element, any Error>
        let recorded: RecordedStream
        /// The entry's number; nil if the recording was already over.
        let number: Int?

        mutating func next() async throws -> Element? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            let (recorder, operation) = (recorded.recorder, recorded.operation)
            do {
                let element = try await source.next(isolation: actor)
                guard let number else { return element }
                if let element {
                    recorder.add(Record(element), to: number, of: operation)
                } else {
                    recorder.end(number, of: operation, returning: NothingRecord(()))
                }
                return element
            } catch {
                if let number { recorder.end(number, of: operation, throwing: error, recorded.errors) }
                throw error
            }
        }
    }
}
