extension BinaryOperation {
    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        [
            mutant("BIN-01", "converts the bytes to text and back") { clean, input, effect in
                let bytes = try await clean(input)
                return effect.changing(bytes, to: Array(String(decoding: bytes, as: UTF8.self).utf8))
            },
            mutant("BIN-02", "returns the part that arrived") { clean, input, effect in
                do {
                    return try await clean(input)
                } catch  where isTruncated(error) {
                    effect.occurred()
                    return SampleBytes.pattern(50)
                }
            },
            mutant("BIN-03", "trusts the first of two lengths") { clean, input, effect in
                do {
                    return try await clean(input)
                } catch  where isPortError(error) {
                    effect.occurred()
                    return []
                }
            },
            mutant("BIN-03", "treats an empty body as an error") { clean, input, effect in
                let bytes = try await clean(input)
                guard bytes.isEmpty else { return bytes }
                effect.occurred()
                throw NoBytes()
            },
            mutant("BIN-04", "decodes what looks encoded") { clean, input, effect in
                let bytes = try await clean(input)
                return effect.changing(bytes, to: bytes.starts(with: [0x1F, 0x8B]) ? [] : bytes)
            },
            leavesFile,
            mutant("BIN-07", "fails without a picture") { clean, input, effect in
                do {
                    let bytes = try await clean(input)
                    guard bytes.count < 54 else { return bytes }
                } catch {
                    guard case .refused(let isMalformed) = nonsense, isMalformed(error) else { throw error }
                }
                effect.occurred()
                throw NoBytes()
            },
        ] + (progress?.mutants ?? [])
    }

    private var leavesFile: Mutant<Subject> {
        Mutant("BIN-06", "leaves its temporary file behind") { subject, effect in
            let fallen = MutantEffect()
            let leaving = call.replaced(in: subject) { clean, input in
                do {
                    return try await clean(input)
                } catch {
                    fallen.occurred()
                    throw error
                }
            }
            return vendor.files.replaced(in: leaving) { clean, _ in
                let files = try await clean(())
                guard fallen.hasOccurred else { return files }
                effect.occurred()
                return files.union(["download.part"])
            }
        }
    }

    private func mutant(
        _ rule: RuleID,
        _ name: String,
        _ operation:
            @escaping @Sendable (PortCall<Subject, Input, [UInt8]>.Perform, Input, MutantEffect) async throws -> [UInt8]
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in call.replaced(in: subject) { try await operation($0, $1, effect) } }
    }
}

/// An error that no port throws.
private struct NoBytes: Error {}
