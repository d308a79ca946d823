/// The progress of a picture's transfer.
public struct PhotoProgress: Sendable, Hashable {
    /// The number of bytes received, as sent: for a compressed picture it differs from the picture's size.
    public var completed: Int
    /// The total number of bytes; nil until the vendor has announced it.
    public var total: Int?

    public init(completed: Int, total: Int?) {
        self.completed = completed
        self.total = total
    }

    /// The fraction received, 0 to 1; nil while the total is unknown. An empty picture that is complete has 1.
    public var fraction: Double? {
        guard let total else { return nil }
        guard total > 0, completed < total else { return 1 }
        return Double(max(0, completed)) / Double(total)
    }
}

/// Filters the vendor's progress reports for one picture, so that the adapter reports only plausible ones, and then the
/// end.
///
/// A vendor may start over after a failure, report an error page's bytes, announce another length than it sends, or
/// report completion and then fail. Keep this value behind a lock: vendors report on any thread.
public struct PhotoTransfer: Sendable {
    private let report: @Sendable (PhotoProgress) -> Void
    private var last = PhotoProgress(completed: 0, total: nil)
    private var isOver = false

    public init(_ report: @escaping @Sendable (PhotoProgress) -> Void) { self.report = report }

    /// Records the vendor's progress, and reports it unless it would go backwards or be complete: completion is
    /// reported with the picture.
    public mutating func received(_ completed: Int, of total: Int?) {
        let progress = PhotoProgress(completed: completed, total: total)
        let fraction = progress.fraction ?? 0
        guard !isOver, completed > last.completed, fraction >= last.fraction ?? 0, fraction < 1 else { return }
        last = progress
        report(progress)
    }

    /// Reports the complete picture as 1, once.
    public mutating func finish(with photo: Photo) {
        guard !isOver else { return }
        isOver = true
        let size = max(last.completed, photo.bytes.count)
        report(PhotoProgress(completed: size, total: size))
    }

    /// Stops reporting.
    public mutating func end() { isOver = true }
}
