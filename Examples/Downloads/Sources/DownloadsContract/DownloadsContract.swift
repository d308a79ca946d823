public import CofferdamContracts
import DownloadsPort
import DownloadsTable

/// The contract of `Downloads`: the kit's families, and two additional rules.
public enum DownloadsContract {
    public static let rules: [Rule<DownloadsSubject>] =
        (Rule.each([
            ("file", file.rules), ("files", files.rules), ("download", download.rules), ("blocks", blocks.rules),
        ]) + wired.flatMap(\.rules) + OwnRules.all)
        // On loopback a step takes milliseconds, and only this bound kills a mutant that hangs.
        .map { $0.bounded(by: .seconds(3)) }

    /// The mutants, which show that each rule can fail.
    public static let mutants: [Mutant<DownloadsSubject>] =
        Mutant.each([
            ("file", file.mutants), ("files", files.mutants), ("download", download.mutants),
            ("blocks", blocks.mutants),
        ]) + wired.flatMap(\.mutants) + OwnRules.mutants

    /// The data that the adapters are seeded with.
    public static let fixtures = "\(samples)"

    private static let samples = [
        FileInfo(name: "empty", size: 0, note: ""), FileInfo(name: "plain", size: 1),
        FileInfo(name: "ñ & 100%.txt", size: 4_096, note: "\"0\"\n🦁"),
    ]

    // MARK: Families of one operation

    private static let file = GetOperation<DownloadsSubject, String, FileInfo>(
        call: Calls.file,
        errors: GetErrors(isNotFound: { Expected.code(of: $0) == .notFound }),
        samples: { try await set(samples, in: $0) },
        unknown: { subject in
            _ = try await set(samples, in: subject)
            return ["no-such-file", "", "plain/bytes"]
        },
        exact: { try await set([FileInfo(name: "vast", size: 1 << 53 - 1)], in: $0) },
        mistakes: GetMistakes(
            fabricated: { FileInfo(name: $0, size: 0) },
            losingZeros: { FileInfo(name: $0.name, size: $0.size, note: $0.note == "" ? nil : $0.note) },
            losingDigits: { FileInfo(name: $0.name, size: Int(Float($0.size)), note: $0.note) }
        )
    )

    private static func set(
        _ files: [FileInfo],
        in subject: DownloadsSubject
    ) async throws -> [GetSample<String, FileInfo>] {
        try await subject.vendor.set(files)
        return files.map { GetSample($0.name, $0) }
    }

    private static let files = ListOperation<DownloadsSubject, FileInfo>(
        call: Calls.files,
        sharedCursors: SharedCursors(
            malformed: [],
            elsewhere: { try await $0.open(nil) },
            close: { await $0.service.close() }
        ),
        isInvalidCursor: { Expected.code(of: $0) == .unreadable },
        seed: { subject, count in
            let files = (0..<count).map { FileInfo(name: "file \(10_000 + $0)", size: $0) }
            try await subject.vendor.set(files)
            return files
        },
        setQuirk: { try await $0.vendor.setQuirk($1) },
        // The port's cursors are names, which do not expire.
        expireCursors: { _ in },
        setFailing: { subject, fails in
            try await subject.vendor.clearFaults()
            if fails { try await subject.vendor.inject(.status(403), on: "files", times: 100) }
        },
        grow: { subject, count in
            for number in 0..<count { try await subject.vendor.put([], as: "added \(number)") }
        }
    )
    .requiring(harnessCapabilities: [.wire], in: ["LIST-03", "LIST-05", "LIST-09"])

    private static let download = BinaryOperation<DownloadsSubject, String>(
        call: Calls.bytes,
        seed: { subject, bytes in
            let name = "file of \(bytes.count)"
            try await subject.vendor.put(bytes, as: name)
            return name
        },
        vendor: BinaryEvidence(
            inject: { try await $0.vendor.inject($1, on: "bytes", times: 1) },
            waitForHeld: { try await $0.vendor.waitForHeld(exactly: $1) },
            files: Calls.filesLeft
        ),
        isPortError: { Expected.code(of: $0) != nil },
        isTruncated: { Expected.code(of: $0) == .truncated },
        nonsense: .passedOn,
        progress: BinaryProgress(call: Calls.progress)
    )
    .requiring(harnessCapabilities: [.wire], in: ["BIN-02", "BIN-03", "BIN-04", "BIN-05", "BIN-06", "BIN-09"])

    private static let blocks = StreamOperation<DownloadsSubject, Block>(
        stream: Calls.blocks,
        vendor: StreamOperation.Vendor(
            prepare: { try await $0.vendor.grow(Calls.growing) },
            send: { subject, number in
                let bytes = (0..<Block.size).map { UInt8(truncatingIfNeeded: $0 &+ number) }
                try await subject.vendor.append(bytes, to: Calls.growing)
            },
            waitForSubscribers: { try await $0.vendor.waitForReaders(exactly: $1) },
            cause: { try await $0.vendor.simulate($1) },
            inject: { try await $0.vendor.inject($1, on: "bytes", times: 1) }
        ),
        number: { $0.index + 1 },
        // A new reader gets the file from its beginning.
        repeatsPast: true,
        endsInOrder: true,
        overflow: .init(bound: Block.most, isError: { Expected.code(of: $0) == .overrun })
    )
    .requiring(harnessCapabilities: [.wire], in: ["STRM-11"])

    // MARK: Families of all calls, which need a connection

    private static let wired: [RuleSet<DownloadsSubject>] = [
        cancellation.requiring(harnessCapabilities: [.wire]), errors.requiring(harnessCapabilities: [.wire]),
        time.requiring(harnessCapabilities: [.wire]), lifecycle.requiring(harnessCapabilities: [.wire]),
    ]

    private static let held = HeldCalls<DownloadsSubject>(
        wait: { try await $0.vendor.waitForHeld(exactly: $1) },
        release: { try await $0.vendor.release() }
    )

    private static let cancellation = CancellationOperation<DownloadsSubject>(
        calls: WiredCall.all.map(\.probed),
        prepare: prepare,
        held: held,
        close: { await $0.service.close() },
        isClosed: { Expected.code(of: $0) == .closed },
        isPortError: { Expected.code(of: $0) != nil },
        outlast: { $0.clock.advance(by: Expected.deadline * 1.1) }
    )

    private static let errors = ErrorOperation<DownloadsSubject>(
        calls: WiredCall.all.map(\.faulty),
        statusTable: Expected.statuses,
        faultTable: Expected.faults,
        addressTable: Expected.addresses,
        decoding: "unreadable",
        modules: ["DownloadsPort"],
        read: { Expected.failure($0) },
        makeError: { DownloadsError(DownloadsError.Code(rawValue: $0) ?? .unknown, "made by a mutant") },
        prepare: prepare,
        opening: opening,
        secrets: { [$0.secret] }
    )

    private static let time = TimeOperation<DownloadsSubject>(
        calls: WiredCall.all.filter { $0.probed.name != "download" }.map(\.probed),
        exempt: [ExemptOperation("download", because: "it takes as long as it takes: its caller cancels it")],
        clock: { $0.clock },
        deadline: { _ in Expected.deadline },
        // A client sends once more if a kept connection turns out to be closed.
        attempts: 2,
        prepare: prepare,
        held: held,
        isTimeout: { Expected.code(of: $0) == .timeout },
        retryAfter: { ($0 as? DownloadsError)?.retryAfter }
    )

    private static let lifecycle = LifecycleOperation<DownloadsSubject>(
        calls: WiredCall.all.map(\.probed),
        questions: [
            "file": { _ in samples.map { AnyPortCall(Calls.file, with: $0.name) } },
            "files": { _ in [nil, "empty"].map { AnyPortCall(Calls.files, with: ListQuery(cursor: $0, limit: 2)) } },
        ],
        opening: opening,
        instances: .init(
            another: PortCall(
                "open another",
                get: { subject in { try await subject.open(nil) } },
                replace: { opened($0, $1) }
            ),
            sharedState: { one, other in
                await other.service.close()
                do {
                    _ = try await one.service.downloads.files(after: nil, limit: 1)
                    return nil
                } catch {
                    return "one instance was closed, and the other one says \(error)"
                }
            }
        ),
        isUnreachable: { Expected.code(of: $0) == .unreachable },
        prepare: prepare,
        held: held
    )

    private static let opening = Opening<DownloadsSubject>(
        nowhere: PortCall(
            "open nowhere",
            get: { subject in { try await subject.open($0) } },
            replace: { subject, perform in
                var subject = subject
                let open = subject.open
                subject.open = { address in if let address { try await perform(address) } else { try await open(nil) } }
                return subject
            }
        ),
        close: PortCall(
            "close",
            get: { subject in { await subject.service.close() } },
            replace: { subject, perform in
                var subject = subject
                // `close` does not throw, so a mutant's error is ignored.
                subject.service.close = { do { try await perform() } catch {} }
                return subject
            }
        )
    )

    private static func opened(
        _ subject: DownloadsSubject,
        _ perform: @escaping @Sendable () async throws -> DownloadsSubject
    ) -> DownloadsSubject {
        var subject = subject
        let open = subject.open
        subject.open = { address in if let address { try await open(address) } else { try await perform() } }
        return subject
    }

    private static let prepare: @Sendable (DownloadsSubject) async throws -> Void = { subject in
        try await subject.vendor.clearFaults()
        try await subject.vendor.set(samples)
        try await subject.vendor.put((0..<3_000).map { UInt8(truncatingIfNeeded: $0) }, as: WiredCall.name)
    }
}
