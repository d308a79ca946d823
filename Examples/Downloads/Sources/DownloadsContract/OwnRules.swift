import CofferdamContracts
import DownloadsPort
import DownloadsTable

/// Rules that no family of the kit has: a download streams, and replaces a file only at its end.
enum OwnRules {
    static let all = [streams, replacesAtTheEnd]
    static let mutants = [waits, writesInPlace]

    private static let name = "long"
    private static let size = 100 * Block.size

    private static func seed(_ subject: DownloadsSubject, _ fault: VendorFault) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try await subject.vendor.put(bytes, as: name)
        try await subject.vendor.inject(fault, on: "bytes", times: 1)
    }

    private static let streams = Rule<DownloadsSubject>(
        "downloads/DOWN-01",
        "The first block is read while the rest of the file is still on its way",
        harnessCapabilities: [.wire]
    ) { subject, context in
        try await seed(subject, .stall(afterBytes: 10 * Block.size))
        let reading = context.task {
            for try await block in subject.service.downloads.blocks(of: name) { return block.index }
            return -1
        }
        defer { reading.cancel() }
        let first = try await context.within("the first block") { try await reading.value }
        var findings = Findings()
        findings.expectEqual(first, 0, "the first block")
        return findings.violations
    }

    private static let waits = Mutant<DownloadsSubject>(streams.id, "collects the file first") { subject, effect in
        let clean = subject
        return Calls.replacingBlocks(in: subject) { name in
            AsyncThrowingStream { continuation in
                let reading = Task {
                    effect.occurred()
                    var blocks: [Block] = []
                    do {
                        for try await block in clean.service.downloads.blocks(of: name) { blocks.append(block) }
                        for block in blocks { continuation.yield(block) }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in reading.cancel() }
            }
        }
    }

    private static let replacesAtTheEnd = Rule<DownloadsSubject>(
        "downloads/DOWN-02",
        "A download that fails leaves the file that was there before as it was",
        harnessCapabilities: [.wire]
    ) { subject, _ in
        let path = "\(subject.directory)/\(name)"
        try Disk.write([1, 2, 3], to: path)
        try await seed(subject, .truncated)
        var findings = Findings()
        do {
            try await subject.service.downloads.download(name, to: path) { _ in }
            findings.add("expected an error of the truncated answer")
        } catch is DownloadsError {}
        findings.expectEqual(try Disk.take(path), [1, 2, 3], "the file that was there before")
        return findings.violations
    }

    private static let writesInPlace = Mutant<DownloadsSubject>(replacesAtTheEnd.id, "writes in the file's place") {
        subject,
        effect in
        PortPlace.downloads.replacing(DownloadsOperations.download, in: subject) { clean, input in
            try Disk.write([], to: input.path)
            effect.occurred()
            try await clean(input)
        }
    }
}
