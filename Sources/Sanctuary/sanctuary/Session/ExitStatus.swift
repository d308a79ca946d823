#if Sandbox
import SanctuaryApp
import SanctuaryDomain

/// The exit codes, for scripts; the numbers follow sysexits.h where it has one.
enum ExitStatus: Int32, CaseIterable {
    case ok = 0
    case usage = 64
    case badData = 65
    case notFound = 66
    case unavailable = 69
    case other = 70
    case cannotWrite = 73
    case tryAgain = 75
    case refused = 77
    case interrupted = 130

    init(_ code: SanctuaryError.Code) {
        self =
            switch code {
            case .notFound: .notFound
            case .unreachable, .unavailable: .unavailable
            case .timeout, .rateLimited, .truncated: .tryAgain
            case .authenticationRequired, .forbidden: .refused
            case .decoding, .invalidRequest, .invalidCursor: .badData
            default: .other
            }
    }

    init(_ code: FeatureError.Code) {
        self =
            switch code {
            case .invalidInput: .usage
            case .notForgotten: .cannotWrite
            default: .other
            }
    }

    private var meaning: String {
        switch self {
        case .ok: "done"
        case .usage: "the command was used incorrectly"
        case .badData: "the service's answer, or the request, is invalid"
        case .notFound: "not found"
        case .unavailable: "the service cannot be reached, or has failed"
        case .other: "anything else"
        case .cannotWrite: "a file or directory cannot be written"
        case .tryAgain: "no answer in time, or too many calls: try again"
        case .refused: "not signed in, or not allowed"
        case .interrupted: "interrupted by Ctrl-C"
        }
    }

    /// The help text: a line for each code.
    static var help: String {
        allCases.map { status in
            let code = "\(status.rawValue)"
            return "  " + code + String(repeating: " ", count: 5 - code.utf8.count) + status.meaning
        }
        .joined(separator: "\n")
    }
}
#endif
