// A side whose port is a function: its type is the standard library's, so the tests' own process can open it.
import CofferdamSides

#if V1
let major = 1
#else
let major = 2
#endif

@c(cofferdam_side)
public func side(_ request: Int32, _ place: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    SideEntry.answer(request, place, ports: "text", as: (@Sendable (String) -> String).self) {
        made += 1
        let number = made
        return { "V\(major) port \(number): \($0)" }
    }
}

// The router opens a side once, and the tests of one library run one after another.
nonisolated(unsafe) private var made = 0
