@testable import CofferdamCurl

/// Checks the body decoders: the result is the same for every segmentation and step size.
enum DecoderCheck {
    private struct Outcome {
        var bytes: [UInt8] = []
        var error: CurlError.Code?
        var isLong = false
    }

    /// The maximum size; a larger body tests nothing more.
    private static let maximumSize = 64 << 10
    private static let codings = ["gzip", "deflate", "br", "zstd", "gzip, deflate", "br, gzip", "zstd, gzip"]
    private static let pool = BlockPool(maximumKeptBytes: 1 << 20)

    /// - Parameter input: its first byte selects the codings of the rest.
    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        var named = ContentCodings()
        named.append(codings[Int(first) % codings.count])
        var expected: Outcome?
        for blocks in Cuts.all(of: Array(input.dropFirst())) {
            for size in [100, 32 << 10] {
                let outcome = decode(blocks, named, upTo: size)
                guard let other = expected else {
                    expected = outcome
                    continue
                }
                // The library decides how much of a malformed body precedes its error.
                let count =
                    outcome.error == nil && other.error == nil
                    ? maximumSize : min(outcome.bytes.count, other.bytes.count)
                let areSame = outcome.bytes.prefix(count) == other.bytes.prefix(count)
                let areSameEnds = outcome.error == other.error || outcome.isLong || other.isLong
                require(areSame && areSameEnds, "\(blocks.count) blocks, steps of \(size): \(outcome), not \(other)")
            }
        }
    }

    private static func decode(_ blocks: [ArraySlice<UInt8>], _ codings: ContentCodings, upTo size: Int) -> Outcome {
        var decoding = BodyDecoding(codings, pool: pool)
        var rest = blocks.map { CurlBytes(Array($0)) }[...]
        var outcome = Outcome()
        do throws(CurlError) {
            while true {
                switch try decoding.step(upTo: size) {
                case .bytes(let bytes):
                    require((1...size).contains(bytes.count), "a step gives no more than was asked for")
                    let room = maximumSize - outcome.bytes.count
                    outcome.bytes += bytes.prefix(room)
                    outcome.isLong = bytes.count >= room
                    if outcome.isLong { return outcome }
                case .progress: break
                case .needsInput: try decoding.feed(rest.popFirst())
                case .end: return outcome
                }
            }
        } catch {
            require(error.code == .protocol, "a broken body breaks the protocol: \(error)")
            outcome.error = error.code
            return outcome
        }
    }
}
