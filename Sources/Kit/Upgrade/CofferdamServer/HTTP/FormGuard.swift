#if Server
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import HTTPTypes

/// Checks that a form was submitted from a page that this server gave to the same holder. A browser sends the
/// password with every request, even one from another site's page.
///
/// The form's token follows from the digest of the holder's own token, which only this server and its fellows have. So
/// a page that was opened before a restart still works.
struct FormGuard: Sendable {
    /// The token in each form of that holder's pages.
    func token(of holder: AccessTokens.Entry) -> String { Digest.hexadecimal(bytes(of: holder)) }

    /// - Throws: ``HTTPRefusal`` with 403.
    func check(_ call: Call, token: String?) throws(HTTPRefusal) {
        guard let holder = call.holder, isSameOrigin(call), isEqual(token ?? "", self.token(of: holder)) else {
            throw HTTPRefusal(
                .forbidden,
                "foreignForm",
                "the form is not from a page of this server, or your token was replaced since: "
                    + "reload the page, and send it again"
            )
        }
    }

    private static let site = HTTPField.Name("Sec-Fetch-Site")

    /// Judges by the browser's headers; older browsers send only `Origin`.
    private func isSameOrigin(_ call: Call) -> Bool {
        if let site = Self.site.flatMap({ call.headers[$0] }) { return site == "same-origin" }
        guard let origin = call.headers[.origin], let authority = call.authority else { return false }
        return ["http://", "https://"].contains { origin == $0 + authority }
    }

    private func bytes(of holder: AccessTokens.Entry) -> [UInt8] {
        Digest.hmacSHA256(of: Array("form \(holder.name)".utf8), key: Array(holder.sha256.utf8))
    }

    /// Takes the same time for every token of that length.
    private func isEqual(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        return zip(a.utf8, b.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The fields of an `application/x-www-form-urlencoded` form.
struct FormFields: Sendable {
    private let fields: [String: String]

    /// - Throws: ``HTTPRefusal`` with 400 if the body is not such a form.
    init(_ body: [UInt8]) throws(HTTPRefusal) {
        var fields: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = Self.text(pair[..<end]), let value = Self.text(pair[end...].dropFirst()) else {
                throw HTTPRefusal(.badRequest, "invalidBody", "the body is not a form")
            }
            fields[name] = value
        }
        self.fields = fields
    }

    /// The field's value; nil if it is missing or empty.
    subscript(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(validating: spaced, as: UTF8.self)?.removingPercentEncoding
    }
}

extension UpgradeRequestBody {
    init(_ form: FormFields) {
        self.init()
        reason = form["reason"]
        despiteGate = form["despiteGate"] == "true"
        (to, target, operation, stage) = (form["to"], form["target"], form["operation"], form["stage"])
        clear = stage == nil
        if let stage = form["seenStage"].flatMap(Stage.init(rawValue:)), let revision = form["seenRevision"],
            let number = Int64(revision)
        {
            from = .init(stage: stage, revision: number)
        }
    }
}
#endif
