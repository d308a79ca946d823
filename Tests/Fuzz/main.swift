import CLibFuzzer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// `./dev fuzz` builds and runs this. An environment variable names the parser, because the arguments belong to
// libFuzzer, which restarts itself with them.
func run(_ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> CInt {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    return withUnsafeMutablePointer(to: &arguments) { arguments in
        arguments.withMemoryRebound(to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self, capacity: 1) {
            LLVMFuzzerRunDriver(&count, $0, check)
        }
    }
}

switch getenv("COFFERDAM_FUZZ").map({ String(cString: $0) }) {
case "head":
    exit(
        run { bytes, count in
            HeadCheck.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    )
case "sse":
    exit(
        run { bytes, count in
            EventCheck.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    )
case "ndjson":
    exit(
        run { bytes, count in
            LineCheck.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    )
case "decoder":
    exit(
        run { bytes, count in
            DecoderCheck.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    )
default:
    print("fuzz: COFFERDAM_FUZZ must be head, sse, ndjson or decoder")
    exit(64)
}
