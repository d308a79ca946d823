#if Sandbox
import Foundation
import MenagerieV1
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

struct ErrorConversionTests {
    private static let statusesTable: [(Int, Int?, SanctuaryError.Code, Bool)] = [
        (400, 4000, SanctuaryError.Code.invalidRequest, false), (401, 4010, .authenticationRequired, false),
        (401, 4013, .forbidden, false), (401, nil, .authenticationRequired, false), (403, nil, .forbidden, false),
        (404, 4040, .notFound, false), (408, nil, .timeout, true), (409, 4090, .conflict, false),
        (412, nil, .conflict, false), (418, nil, .invalidRequest, false), (422, 4220, .invalidRequest, false),
        (429, 4290, .rateLimited, true), (500, 5000, .unavailable, true), (502, 5020, .unavailable, true),
        (503, 5030, .unavailable, true), (504, 5040, .timeout, true), (302, nil, .unknown, false),
        (999, nil, .unknown, false),
    ]

    @Test func `D20: the status alone is wrong for what is forbidden, and for what no retry can help`() {
        let wrong = Self.statusesTable.filter { status, serverCode, code, isRetryable in
            let userInfo = serverCode.map { [MenagerieServerCodeKey: NSNumber(value: $0)] } ?? [:]
            let error = NaiveErrors.read(vendorError(status, userInfo))
            return error.code != code || error.isRetryable != isRetryable
        }
        #expect(wrong.contains { $0.1 == 4013 })
        #expect(wrong.filter { !$0.3 }.map(\.0) == [400, 401, 403, 409, 412, 418, 422, 302, 999])
    }

    @Test("D20, ERR-02: the table of statuses", arguments: statusesTable)
    func statuses(status: Int, serverCode: Int?, code: SanctuaryError.Code, isRetryable: Bool) {
        let userInfo = serverCode.map { [MenagerieServerCodeKey: NSNumber(value: $0)] } ?? [:]
        for effect in [Vendor.Effect.reads, .changes] {
            let error = SanctuaryError(vendorError(status, userInfo), effect: effect)
            // A change whose answer is neither a success nor a refusal may have been made.
            let isOpen = effect == .changes && code == .unknown
            #expect(error.code == (isOpen ? .outcomeUnknown : code))
            #expect(error.isRetryable == isRetryable)
            #expect(error.cause?.code == String(serverCode ?? status))
        }
    }

    @Test(
        "WAIT-05: the vendor refuses a message for good with its own code only",
        arguments: [
            (422, 4220, true), (422, nil, false), (400, nil, false), (400, 4000, false), (405, nil, false),
            (413, 4130, false), (409, 4090, false), (503, 4220, false),
            (MenagerieErrorCode.badRequest.rawValue, nil, false),
        ] as [(Int, Int?, Bool)]
    )
    func refusals(status: Int, serverCode: Int?, isRefusal: Bool) {
        let userInfo = serverCode.map { [MenagerieServerCodeKey: NSNumber(value: $0)] } ?? [:]
        #expect(SanctuaryError(vendorError(status, userInfo), effect: .changes).isRefusalByVendor == isRefusal)
    }

    @Test(
        "D20: failures of the connection",
        arguments: [
            (MenagerieErrorCode.notConnected.rawValue, SanctuaryError.Code.unreachable),
            (MenagerieErrorCode.timedOut.rawValue, .timeout),
            (MenagerieErrorCode.incompleteResponse.rawValue, .truncated),
            (MenagerieErrorCode.badResponse.rawValue, .decoding),
            (MenagerieErrorCode.badRequest.rawValue, .invalidRequest),
            (MenagerieErrorCode.storage.rawValue, .unknown),
            (MenagerieErrorCode.cancelled.rawValue, .unknown),
        ]
    )
    func connections(vendorCode: Int, code: SanctuaryError.Code) {
        let sent = vendorError(vendorCode, [MenagerieRequestWasSentKey: NSNumber(value: true)])
        let unsent = vendorError(vendorCode, [MenagerieRequestWasSentKey: NSNumber(value: false)])
        #expect(SanctuaryError(sent).code == code)
        // An unreadable answer is still an answer.
        let isAnswered = vendorCode == MenagerieErrorCode.badResponse.rawValue
        #expect(SanctuaryError(unsent, effect: .changes).code == (isAnswered ? .outcomeUnknown : code))
        #expect(SanctuaryError(sent, effect: .changes).code == .outcomeUnknown)
    }

    @Test(
        "D20: Retry-After is a number of seconds, and invalid values are ignored",
        arguments: [
            (30, Duration.seconds(30)), (0, .zero), (0.5, .milliseconds(500)), (-1, nil), (.infinity, nil), (.nan, nil),
            (1e30, nil),
        ] as [(Double, Duration?)]
    )
    func retryAfter(seconds: Double, duration: Duration?) {
        let error = SanctuaryError(vendorError(429, [MenagerieRetryAfterKey: NSNumber(value: seconds)]))
        #expect(error.retryAfter == duration)
    }

    @Test func `D20: taking any number for a wait gives a negative one, or ends the process`() async {
        let error = vendorError(429, [MenagerieRetryAfterKey: NSNumber(value: -1)])
        #expect(NaiveErrors.retryAfter(error) == .seconds(-1))
        await #expect(processExitsWith: .failure) {
            let error = vendorError(429, [MenagerieRetryAfterKey: NSNumber(value: Double.infinity)])
            _ = NaiveErrors.retryAfter(error)
        }
    }

    @Test("MUT-04: a refused field is named")
    func field() {
        let error = SanctuaryError(vendorError(422, [MenagerieFieldKey: "lines[0].quantity"]))
        #expect(error.subject == "lines[0].quantity")
    }

    @Test("ERR-01: an error of another domain is unknown, and keeps its message")
    func otherDomain() {
        let error = SanctuaryError(NSError(domain: "Elsewhere", code: 404))
        #expect(error.code == .unknown)
        #expect(error.cause?.domain == "Elsewhere")
        let changed = SanctuaryError(NSError(domain: "Elsewhere", code: 404), effect: .changes)
        #expect(changed.code == .outcomeUnknown)
    }
}
#endif
