#if Sandbox
import Cofferdam
import Foundation
import HTTPTypes
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2
@testable import MenagerieV2Adapter

private let now = Instant(millisecondsSince1970: 1_700_000_000_000)

@Suite struct PortErrorTests {
    @Test("ERR-01: an answer that is wrong as a whole has no path")
    func wholeAnswer() throws {
        let error = portError(MenagerieError.decoding(path: "", message: "not JSON"), now: now) as? SanctuaryError
        #expect(error?.code == .decoding)
        #expect(error != nil && error?.subject == nil)
    }

    private static let statusesTable: [(Int, SanctuaryError.Code)] = [
        (400, .invalidRequest), (401, .authenticationRequired), (403, .forbidden), (404, .notFound),
        (408, .timeout), (409, .conflict), (410, .invalidRequest), (412, .conflict), (422, .invalidRequest),
        (429, .rateLimited), (500, .unavailable), (502, .unavailable), (503, .unavailable), (504, .timeout),
        (302, .unknown), (999, .unknown),
    ]

    @Test("D20, ERR-02: every status, without the vendor's text", arguments: statusesTable)
    func statuses(status: Int, code: SanctuaryError.Code) throws {
        let error = try translated(status: status, body: "<html>")
        #expect(error.code == code)
        #expect(error.cause?.code == "\(status)")
        #expect(SanctuaryError.Code(status: status) == code)
    }

    private static let codesTable: [(String, Int, SanctuaryError.Code)] = [
        ("not_found", 404, .notFound), ("token_expired", 401, .authenticationRequired),
        ("unauthenticated", 401, .authenticationRequired), ("token_reused", 401, .authenticationRequired),
        ("forbidden", 403, .forbidden), ("signature_expired", 403, .forbidden),
        ("bad_request", 400, .invalidRequest),
        ("invalid_cursor", 400, .invalidCursor), ("validation", 422, .invalidRequest), ("conflict", 409, .conflict),
        ("already_linked", 409, .conflict), ("another_active", 409, .conflict), ("rate_limited", 429, .rateLimited),
        ("unavailable", 503, .unavailable), ("of_tomorrow", 418, .invalidRequest),
    ]

    @Test func `D20: matching words is wrong wherever it matters whether to sign in or to try again`() throws {
        let wrong = try Self.codesTable.filter { raw, status, code in
            try translated(status: status, body: Self.body(raw), by: .naive).code != code
        }
        let right = ["token_expired", "unauthenticated", "token_reused", "unavailable"]
        #expect(wrong.map(\.0) == Self.codesTable.map(\.0).filter { !right.contains($0) })
        let forbidden = try translated(status: 403, body: Self.body("forbidden"), by: .naive)
        #expect(forbidden.isRetryable, "for ever")
        let bare = try Self.statusesTable.filter { try translated(status: $0, body: "<html>", by: .naive).code != $1 }
        #expect(bare.map(\.0).contains(403))
    }

    /// In the user's language.
    private static func body(_ code: String) -> String { #"{"error": {"code": "\#(code)", "message": "Nein"}}"# }

    @Test("D20: every code of the vendor's", arguments: codesTable)
    func codes(raw: String, status: Int, code: SanctuaryError.Code) throws {
        let error = try translated(status: status, body: Self.body(raw))
        #expect(error.code == code)
        #expect(error.cause == .init(domain: "HTTP", code: raw, message: "Nein"))
    }

    @Test("D20: a validation names its field")
    func field() throws {
        let body = #"{"error": {"code": "validation", "message": "", "field": "lines[0].quantity"}}"#
        #expect(try translated(status: 422, body: body, subject: "o-1").subject == "lines[0].quantity")
        #expect(try translated(status: 404, body: "", subject: "o-1").subject == "o-1")
    }

    @Test(
        "D20: the date of the next try becomes a duration",
        arguments: [
            ("2023-11-14T22:13:50Z", nil, .seconds(30)), ("2023-11-14T22:13:20.500Z", nil, .milliseconds(500)),
            ("2023-11-14T22:00:00Z", nil, .zero), ("2023-11-14T23:13:50+01:00", nil, .seconds(30)),
            (nil, "7", .seconds(7)), (nil, nil, nil), ("soon", "soon", nil),
            ("2023-11-14T22:13:50Z", "7", .seconds(30)),
        ] as [(String?, String?, Duration?)]
    )
    func retryAfter(retryAt: String?, header: String?, wait: Duration?) throws {
        for (status, code) in [(429, "rate_limited"), (503, "unavailable")] {
            let date = retryAt.map { #", "retryAt": "\#($0)""# } ?? ""
            let body = #"{"error": {"code": "\#(code)", "message": ""\#(date)}}"#
            #expect(try translated(status: status, body: body, retryAfter: header).retryAfter == wait)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D20: half a minute is half a minute, and not half a century`(_ handling: Handling) throws {
        let body = #"{"error": {"code": "rate_limited", "message": "", "retryAt": "2023-11-14T22:13:50Z"}}"#
        let error = try translated(status: 429, body: body, by: handling)
        _ = try handling.refuses(error.retryAfter == .seconds(30))
    }

    @Test(
        "A failure of the transport",
        arguments: [
            (.offline, .unreachable, true), (.tls, .unreachable, true), (.other, .decoding, false),
            (.connectionLost, .unreachable, true), (.timeout, .timeout, true), (.truncated, .truncated, true),
            (.closed, .closed, false),
            (.invalidRequest, .invalidRequest, false), (.tooLarge, .decoding, false),
        ] as [(TransportFailure.Kind, SanctuaryError.Code, Bool)]
    )
    func transport(kind: TransportFailure.Kind, code: SanctuaryError.Code, isRetryable: Bool) throws {
        let error = try #require(
            portError(MenagerieError.transport(TransportFailure(kind, message: "curl")), now: now) as? SanctuaryError
        )
        #expect(error.code == code)
        #expect(error.isRetryable == isRetryable)
    }

    @Test(arguments: Handling.allCases)
    func `D9: cancellation is CancellationError, however the vendor calls it`(_ handling: Handling) throws {
        for error in [MenagerieError.cancelled, CancellationError()] as [any Error] {
            _ = try handling.refuses(translated(error, by: handling) is CancellationError)
        }
    }

    private func translated(_ error: any Error, by handling: Handling) -> any Error {
        handling == .naive ? NaiveErrors.read(error) : portError(error, now: now)
    }

    @Test("ERR-01: no foreign error passes")
    func foreign() throws {
        let errors: [(any Error, SanctuaryError.Code)] = [
            (DeadlineExceeded(), .timeout), (CocoaError(.fileNoSuchFile), .unknown),
            (TranslationIssue("odd", at: "items[3].name", raw: ""), .decoding),
            (MenagerieError.decoding(path: "items[3].name", message: "missing"), .decoding),
            (MenagerieError.storage(path: "/session", message: "locked"), .unknown),
            (MenagerieError.notConfigured, .unknown),
        ]
        for (error, code) in errors {
            let translated = try #require(portError(error, now: now) as? SanctuaryError)
            #expect(translated.code == code)
            if code == .decoding { #expect(translated.subject == "items[3].name") }
        }
    }

    @Test(
        "D18: what may have been done is reported as such, and nothing else is",
        arguments: [
            (MenagerieError.transport(.init(.truncated, message: "", wasSent: true)), true),
            (MenagerieError.transport(.init(.other, message: "")), true),
            (MenagerieError.transport(.init(.offline, message: "", wasSent: false)), false),
            (MenagerieError.server(retryAt: nil, .init(status: 503)), false),
            (MenagerieError.server(retryAt: nil, .init(status: 408)), false),
            (MenagerieError.server(retryAt: nil, .init(status: 307)), true),
            (MenagerieError.server(retryAt: nil, .init(status: 999)), true),
            (MenagerieError.unauthenticated(.tokenExpired, .init(status: 401)), false),
            (DeadlineExceeded(), true),
        ] as [(any Error, Bool)]
    )
    func outcome(error: any Error, isUnknown: Bool) async {
        let mark = SendMark()
        #expect((mark.meaning(of: error) as? SanctuaryError)?.code == nil)
        await #expect(throws: (any Error).self) { try await mark.sending { throw error } }
        #expect(((mark.meaning(of: error) as? SanctuaryError)?.code == .outcomeUnknown) == isUnknown)
    }

    @Test("D16 with D18: a refresh that fails after the order was refused leaves nothing open")
    func refused() async {
        let mark = SendMark()
        let refusal = MenagerieError.unauthenticated(.tokenExpired, .init(status: 401))
        await #expect(throws: MenagerieError.self) { try await mark.sending { throw refusal } }
        let lost = MenagerieError.transport(.init(.other, message: "", wasSent: true))
        #expect(mark.meaning(of: lost) is MenagerieError)
    }

    @Test("ERR-08: a delay that a gateway states without a date counts from the adapter's own wall clock")
    func delayFromAnotherCentury() async throws {
        try await OpenedSanctuary.with(now: { Instant(millisecondsSince1970: 946_641_600_000) }) { sanctuary in
            sanctuary.control.inject(.gateway(503, retryAfter: .seconds(7)), on: .listAnimals, times: 10)
            let error = await #expect(throws: SanctuaryError.self) { try await sanctuary.allAnimals() }
            #expect(error?.retryAfter == .seconds(7))
        }
    }

    private func translated(
        status: Int,
        body: String,
        retryAfter: String? = nil,
        subject: String? = nil,
        by handling: Handling = .adapter
    ) throws -> SanctuaryError {
        var head = HTTPResponse(status: .init(code: status))
        head.headerFields[.retryAfter] = retryAfter
        let date = Date(timeIntervalSince1970: Double(now.millisecondsSince1970) / 1000)
        let error = MenagerieError(head, body: Array(body.utf8), now: date)
        if handling == .naive { return try #require(NaiveErrors.read(error) as? SanctuaryError) }
        return try #require(portError(error, subject: subject, now: now) as? SanctuaryError)
    }
}
#endif
