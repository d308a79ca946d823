/// Translates a vendor's value into the app's own, or throws the reason why it cannot.
///
/// Conforming types and their combinators are compiled into one loop. ``Translator`` is the type-erased form, for storing and
/// passing around.
///
///     struct AnimalTranslation: Translation {
///         func read(_ source: VendorAnimal, _ report: inout TranslationReport) throws(TranslationIssue) -> Animal { … }
///     }
///     let animals = try AnimalTranslation().translate(page.items, at: "items", into: &report)
///
/// Translating a list returns the values **and** the issues: each source becomes a value or an issue of severity `error`. A
/// `compactMap` would drop unreadable values silently, and an empty screen would show no error.
public protocol Translation<Source, Target>: Sendable {
    associatedtype Source
    associatedtype Target

    /// Translates one value. Adds issues that do not prevent a value to the report, with paths relative to the value.
    ///
    /// Mark it `@inlinable @inline(__always)` where it is used from another module.
    ///
    /// - Throws: the issue that prevents a value; the caller adds it to the report.
    func read(_ source: Source, _ report: inout TranslationReport) throws(TranslationIssue) -> Target

    /// Translates contiguous values. Only ``Translator`` implements it.
    func read(
        _ sources: UnsafeBufferPointer<Source>,
        in list: TranslatedList,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> [Target]
}

/// A list to translate: its place in the payload, and what to do with values that cannot be translated.
@frozen
public struct TranslatedList: Sendable, Hashable {
    /// Element 3 of the list at "items" is reported at "items[3]".
    @usableFromInline var path: String
    /// The number of its first element; greater than 0 for the continuation of a list.
    @usableFromInline var start: Int
    /// What to do with values that cannot be translated.
    @usableFromInline var policy: TranslationPolicy

    /// Describes a list at a path of the vendor's value.
    @inlinable
    init(at path: String = "", from start: Int = 0, policy: TranslationPolicy = .collect) {
        self.path = path
        self.start = start
        self.policy = policy
    }

    @usableFromInline
    func path(ofElement offset: Int) -> String { "\(path)[\(start + offset)]" }
}

/// What to do with values that cannot be translated.
public enum TranslationPolicy: Sendable, Hashable {
    /// Leave them out, and report them.
    case collect
    /// Throw the first.
    case failOnFirst
    /// Throw the first if more than this share of all (0 to 1) cannot be translated.
    case failAbove(share: Double)
}

extension Translation {
    /// Translates one value and adds its issues to the report.
    ///
    /// - Throws: the issue that prevents a value; the report has it too.
    @inlinable
    @inline(__always)
    public func translate(_ source: Source, into report: inout TranslationReport) throws(TranslationIssue) -> Target {
        let mark = report.count
        do throws(TranslationIssue) {
            return try read(source, &report)
        } catch {
            throw report.lose(error, since: mark)
        }
    }

    /// Translates the values of a list. Those that cannot be translated are left out and reported.
    ///
    /// - Parameters:
    ///   - path: the place of the list in the payload; element 3 of "items" is reported at "items[3]".
    ///   - policy: what to do with values that cannot be translated.
    /// - Throws: the issue that the policy does not permit.
    @inlinable
    public func translate(
        _ sources: some Sequence<Source>,
        at path: String = "",
        into report: inout TranslationReport,
        policy: TranslationPolicy = .collect
    ) throws(TranslationIssue) -> [Target] {
        try translate(sources, in: TranslatedList(at: path, policy: policy), into: &report)
    }

    @inlinable
    func translate(
        _ sources: some Sequence<Source>,
        in list: TranslatedList,
        into report: inout TranslationReport
    ) throws(TranslationIssue) -> [Target] {
        let adjacent = sources.withContiguousStorageIfAvailable { buffer in
            Result { () throws(TranslationIssue) in try read(buffer, in: list, &report) }
        }
        if let adjacent { return try adjacent.get() }
        return try Array(sources).withUnsafeBufferPointer { buffer throws(TranslationIssue) in
            try read(buffer, in: list, &report)
        }
    }

    /// Translates the elements one by one, under the list's policy.
    @inlinable
    public func read(
        _ sources: UnsafeBufferPointer<Source>,
        in list: TranslatedList,
        _ report: inout TranslationReport
    ) throws(TranslationIssue) -> [Target] {
        try readAll(sources, in: list, &report) { source, report throws(TranslationIssue) in
            try read(source, &report)
        }
    }
}

/// The loop of all translations.
@inlinable
@inline(__always)
func readAll<Source, Target>(
    _ sources: UnsafeBufferPointer<Source>,
    in list: TranslatedList,
    _ report: inout TranslationReport,
    by read: (Source, inout TranslationReport) throws(TranslationIssue) -> Target
) throws(TranslationIssue) -> [Target] {
    guard let first = sources.baseAddress else { return [] }
    var losses = TranslationLosses(in: list)
    var failure: TranslationIssue?
    // The closure cannot throw a typed error.
    let targets = [Target](unsafeUninitializedCapacity: sources.count) { targets, count in
        for offset in sources.indices {
            let mark = report.count
            do throws(TranslationIssue) {
                // An element behind a pointer is borrowed; that of the buffer itself would be retained and released.
                (targets.baseAddress.unsafelyUnwrapped + count).initialize(to: try read(first[offset], &report))
                count += 1
                if report.count != mark { report.place(since: mark, at: list.path(ofElement: offset)) }
            } catch {
                do throws(TranslationIssue) {
                    try losses.add(error, since: mark, at: offset, to: &report)
                } catch {
                    failure = error
                    return
                }
            }
        }
    }
    if let failure { throw failure }
    try losses.judge(of: sources.count)
    return targets
}

/// The values of one list that could not be read so far.
@usableFromInline
struct TranslationLosses {
    private let list: TranslatedList
    private var count = 0
    private var first: TranslationIssue?

    @usableFromInline
    init(in list: TranslatedList) { self.list = list }

    /// - Throws: the loss, if the policy tolerates none.
    @usableFromInline
    mutating func add(
        _ issue: TranslationIssue,
        since mark: Int,
        at offset: Int,
        to report: inout TranslationReport
    ) throws(TranslationIssue) {
        try add(issue, since: mark, at: list.path(ofElement: offset), to: &report)
    }

    @usableFromInline
    mutating func add(
        _ issue: TranslationIssue,
        since mark: Int,
        at path: String,
        to report: inout TranslationReport
    ) throws(TranslationIssue) {
        let loss = report.lose(issue, since: mark).placed(at: path)
        report.place(since: mark, at: path)
        if case .failOnFirst = list.policy { throw loss }
        count += 1
        if first == nil { first = loss }
    }

    /// - Throws: the first loss, if there are more than the policy tolerates.
    @usableFromInline
    func judge(of total: Int) throws(TranslationIssue) {
        guard let first, case .failAbove(let share) = list.policy, !(Double(count) <= share * Double(total)) else {
            return
        }
        throw first
    }
}
