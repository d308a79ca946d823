extension BinaryOperation {
    /// BIN-01 to BIN-07, and BIN-09 if there is `progress`.
    public var rules: [Rule<Subject>] {
        [byteByByte, neverPartial, lengths, decodedOnce, progressRule, cancelled, nonsenseRule]
            + (progress.map { [silentAfterEnd($0)] } ?? [])
    }

    private var byteByByte: Rule<Subject> {
        Rule(
            "BIN-01",
            "A body arrives byte for byte: every byte value, from zero bytes to a million"
        ) { subject, _ in
            var findings = Findings()
            for size in [0, 1, 65_535, 65_536, 65_537, 1_000_000] {
                try await expect(SampleBytes.pattern(size), nil, "\(size) bytes", of: subject, &findings)
            }
            return findings.violations
        }
    }

    private var neverPartial: Rule<Subject> {
        Rule("BIN-02", "A body shorter than declared is an error, never a partial result") { subject, _ in
            var findings = Findings()
            for fault in [VendorFault.truncated, .wrongLength(by: 16)] {
                for size in [100, 70_000] {
                    let input = try await seed(subject, SampleBytes.pattern(size))
                    try await vendor.inject(subject, fault)
                    await findings.expectError("a truncated answer", "\(size) bytes, \(fault)", where: isTruncated) {
                        try await call(subject, input).count
                    }
                }
            }
            return findings.violations
        }
    }

    private var lengths: Rule<Subject> {
        Rule("BIN-03", "Conflicting lengths are an error; a missing length and empty chunks are not") { subject, _ in
            var findings = Findings()
            for fault in [VendorFault.withoutLength, .chunked] {
                for size in [0, 1000, 70_000] {
                    let what = "\(size) bytes, \(fault)"
                    try await expect(SampleBytes.pattern(size), fault, what, of: subject, &findings)
                }
            }
            let input = try await seed(subject, SampleBytes.pattern(100))
            try await vendor.inject(subject, .conflictingLengths)
            await findings.expectError("the port's error", "\(VendorFault.conflictingLengths)", where: isPortError) {
                try await call(subject, input).count
            }
            return findings.violations
        }
    }

    private var decodedOnce: Rule<Subject> {
        Rule("BIN-04", "A body is decoded exactly once if it was encoded for transfer, and otherwise not at all") {
            subject,
            _ in
            var findings = Findings()
            for bytes in [SampleBytes.pattern(3000), SampleBytes.archive] {
                try await expect(bytes, nil, "\(bytes.count) bytes as they are", of: subject, &findings)
                for coding in ContentCoding.allCases {
                    let what = "\(bytes.count) bytes in \(coding.rawValue)"
                    try await expect(bytes, .encoded(coding), what, of: subject, &findings)
                }
            }
            return findings.violations
        }
    }

    private var progressRule: Rule<Subject> {
        let tag = progress?.capability ?? "progress"
        return Rule(
            "BIN-05",
            "Progress never decreases, reaches 1 once on success, and never on failure",
            requires: [tag]
        ) { subject, _ in
            guard let progress else { return [Violation("\(call.name) has no progress, though \(tag) is declared")] }
            var findings = Findings()
            for size in [0, 1, 70_000] {
                let run = ProgressRun()
                await run.run(progress.call, of: subject, try await seed(subject, SampleBytes.pattern(size)))
                findings.expect(!run.hasFailed, "\(size) bytes: failed")
                findings.expect(run.isMonotone, "\(size) bytes: goes back: \(run.fractions)")
                findings.expectEqual(run.completions, 1, "\(size) bytes: how often 1 is reached in \(run.fractions)")
                findings.expectEqual(run.fractions.last, 1, "\(size) bytes: the last progress")
            }
            let input = try await seed(subject, SampleBytes.pattern(70_000))
            try await vendor.inject(subject, .truncated)
            let run = ProgressRun()
            await run.run(progress.call, of: subject, input)
            findings.expect(run.hasFailed, "truncated: did not fail")
            findings.expect(run.isMonotone, "truncated: goes back: \(run.fractions)")
            findings.expectEqual(run.completions, 0, "truncated: how often 1 is reached in \(run.fractions)")
            return findings.violations
        }
    }

    private func silentAfterEnd(_ progress: BinaryProgress<Subject, Input>) -> Rule<Subject> {
        Rule(
            "BIN-09",
            "No progress is reported after the end, whether the transfer returned, failed or was cancelled",
            requires: [progress.capability],
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            var runs: [(what: String, run: ProgressRun)] = []
            for (what, fault) in [("returned", nil), ("failed", VendorFault.truncated)] {
                let input = try await seed(subject, SampleBytes.pattern(70_000))
                if let fault { try await vendor.inject(subject, fault) }
                let run = ProgressRun()
                await run.run(progress.call, of: subject, input)
                runs.append((what, run))
            }
            let input = try await seed(subject, SampleBytes.pattern(200_000))
            try await vendor.inject(subject, .stall(afterBytes: 70_000))
            let cancelled = ProgressRun()
            let download = context.task { await cancelled.run(progress.call, of: subject, input) }
            defer { download.cancel() }
            try await context.within("the body is on its way") { try await vendor.waitForHeld(subject, 1) }
            download.cancel()
            try await context.within("the cancelled call ends") { _ = await download.result }
            try await context.within("the vendor sees that the caller has gone") {
                try await vendor.waitForHeld(subject, 0)
            }
            runs.append(("cancelled", cancelled))
            // Late reports have arrived by the time another download has ended.
            let another = ProgressRun()
            await another.run(progress.call, of: subject, try await seed(subject, SampleBytes.pattern(70_000)))
            findings.expect(!another.hasFailed, "a download after those that failed: failed")
            for (what, run) in runs {
                findings.expect(run.late.isEmpty, "\(what): reported \(run.late) after the end")
            }
            return findings.violations
        }
    }

    private var cancelled: Rule<Subject> {
        Rule(
            "BIN-06",
            "A transfer cancelled mid-body ends at once, the vendor sees it, and no file remains",
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            // The files that an adapter keeps permanently exist after the first download.
            _ = try await call(subject, try await seed(subject, SampleBytes.pattern(100)))
            let input = try await seed(subject, SampleBytes.pattern(200_000))
            let before = try await vendor.files(subject, ())
            try await vendor.inject(subject, .stall(afterBytes: 70_000))
            let download = context.task { try await call(subject, input).count }
            try await context.within("the body is on its way") { try await vendor.waitForHeld(subject, 1) }
            download.cancel()
            switch try await context.within("the cancelled call ends", { await download.result }) {
            case .failure(is CancellationError): break
            case .failure(let error): findings.add("expected CancellationError, got \(type(of: error)): \(error)")
            case .success(let count): findings.add("expected CancellationError, got \(count) bytes")
            }
            try await context.within("the vendor sees that the caller has gone") {
                try await vendor.waitForHeld(subject, 0)
            }
            let left = try await vendor.files(subject, ()).subtracting(before)
            findings.expect(left.isEmpty, "files left: \(left.sorted().joined(separator: ", "))")
            return findings.violations
        }
    }

    private var nonsenseRule: Rule<Subject> {
        Rule(
            "BIN-07",
            "Bytes that do not match their type are refused or passed on, as the port documents"
        ) { subject, _ in
            var findings = Findings()
            for bytes in SampleBytes.nonsense(36) {
                let what = "\(bytes.count) bytes that begin with \(bytes.prefix(8))"
                switch nonsense {
                case .passedOn: try await expect(bytes, nil, what, of: subject, &findings)
                case .refused(let isMalformed):
                    let input = try await seed(subject, bytes)
                    await findings.expectError("a refusal", what, where: isMalformed) {
                        try await call(subject, input).count
                    }
                }
            }
            return findings.violations
        }
    }

    private func expect(
        _ bytes: [UInt8],
        _ fault: VendorFault?,
        _ what: String,
        of subject: Subject,
        _ findings: inout Findings
    ) async throws {
        // What the harness throws is no failure of the adapter.
        let input = try await seed(subject, bytes)
        if let fault { try await vendor.inject(subject, fault) }
        do {
            let received = try await call(subject, input)
            guard received != bytes else { return }
            let place = zip(received, bytes).enumerated().first { $1.0 != $1.1 }?.offset
            let difference = place.map(String.init) ?? "the end"
            findings.add("\(what): got \(received.count), first difference at \(difference)")
        } catch {
            try Task.checkCancellation()
            findings.add("\(what): \(error)")
        }
    }
}
