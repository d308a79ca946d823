#if Sandbox
import Testing

@testable import MenagerieService

struct OrderTests {
    @Test("D17, D19: both APIs show the same orders, each in its own words")
    func listing() async throws {
        try await withService { _, client async throws in
            let currencies = ["amara": Currency.eur, "kenji": .jpy, "noor": .kwd]
            var (amounts, statuses): (Set<String>, Set<String>) = ([], [])
            for (user, currency) in currencies {
                let old = try await client.signedInLegacy(as: user).get("/v1/orders").json["orders"]?.elements ?? []
                let new = try await client.signedIn(as: user).client.walk("/v2/orders").items
                let shown = new.filter { !Self.isMixed($0) }
                #expect(old.map { $0["id"] } == shown.map { $0["id"] })
                for (old, new) in zip(old, shown) {
                    statuses.insert("\(old["status"]?.text ?? "") = \(new["status"]?.text ?? "")")
                    for (old, new) in zip(old["lines"]?.elements ?? [], new["lines"]?.elements ?? []) {
                        let amount = try #require(new["unitPrice"]?["amount"]?.text)
                        #expect(Amount.minorUnits(amount, currency) == old["unit_price"]?.integer.map(Int64.init))
                        amounts.insert(amount)
                    }
                }
            }
            let noor = try await client.signedIn(as: "noor").client.walk("/v2/orders").items
            #expect(noor.count { Self.isMixed($0) } == 1)
            #expect(amounts.isSuperset(of: ["0.01", "500", "1.234", "-12.99"]))
            #expect(
                statuses == [
                    "pending = pending", "paid = authorized", "paid = paid", "shipped = shipped",
                    "cancelled = cancelled", "paid = partiallyRefunded",
                ]
            )
        }
    }

    @Test(
        "D17: an order placed on one API is exactly the same on the other",
        arguments: [
            ("amara", 1, "0.01", "EUR"), ("amara", -450, "-4.50", "EUR"), ("kenji", 500, "500", "JPY"),
            ("noor", 1234, "1.234", "KWD"), ("noor", 9_007_199_254_740_993, "9007199254740.993", "KWD"),
        ]
    )
    func placing(user: String, minorUnits: Int, amount: String, currency: String) async throws {
        try await withService { _, client async throws in
            let old = try await client.signedInLegacy(as: user)
            let new = try await client.signedIn(as: user).client
            let money: JSON = ["amount": .string(amount), "currency": .string(currency)]
            let line: JSON = ["article": "straw", "quantity": .integer(2), "unit_price": .integer(minorUnits)]
            let first = try await old.post("/v1/orders", ["lines": [line]])
            #expect(first.status == 201)
            let id = try #require(first.json["id"]?.text)
            let shown = try await new.get("/v2/orders/\(id)").json["lines"]?.elements.first
            #expect(shown?["unitPrice"] == money)
            let line2: JSON = ["article": "straw", "quantity": .integer(2), "unitPrice": money]
            let second = try await new.post("/v2/orders", ["lines": [line2]])
            #expect(second.status == 201)
            let id2 = try #require(second.json["id"]?.text)
            #expect(try await old.get("/v1/orders/\(id2)").json["lines"]?.elements == [line])
        }
    }

    @Test(
        "Lines that are wrong are refused with the field's path, and nothing is placed",
        arguments: [
            ("quantity", JSON.integer(0)), ("quantity", .integer(1_000_001)), ("quantity", "two"),
            ("quantity", .number(1.5)),
            ("article", ""), ("article", .null), ("unit_price", .number(4.5)), ("unit_price", .integer(Int64.max)),
            ("unit_price", .number(1e20)),
        ]
    )
    func wrongLines(field: String, value: JSON) async throws {
        try await withService { service, client async throws in
            let client = try await client.signedInLegacy()
            let good: JSON = ["article": "straw", "quantity": .integer(2), "unit_price": .integer(1)]
            guard case .object(var members) = good else { return }
            members[field] = value
            let before = service.control.orderCount(of: "amara")
            let reply = try await client.post("/v1/orders", ["lines": [good, .object(members)]])
            #expect((reply.status, reply.json.errorCode) == (422, .integer(4220)))
            #expect(reply.json["error"]?["field"]?.text == "lines[1].\(field)")
            #expect(try await client.post("/v1/orders", ["lines": []]).json["error"]?["field"]?.text == "lines")
            #expect(service.control.orderCount(of: "amara") == before)
        }
    }

    @Test(
        "D17: amounts that do not fit the currency are refused",
        arguments: [
            ("kenji", "5.0", "JPY", "amount"), ("noor", "1.2345", "KWD", "amount"), ("noor", "1", "USD", "currency"),
            ("noor", "1", "eur", "currency"),
            ("noor", "1e3", "KWD", "amount"), ("noor", ".5", "KWD", "amount"), ("noor", "", "KWD", "amount"),
            ("noor", "0.5", "JPY", "amount"), ("kenji", "1.234", "EUR", "amount"),
        ]
    )
    func wrongMoney(user: String, amount: String, currency: String, field: String) async throws {
        try await withService { _, client async throws in
            let client = try await client.signedIn(as: user).client
            let money: JSON = ["amount": .string(amount), "currency": .string(currency)]
            let line: JSON = ["article": "straw", "quantity": .integer(1), "unitPrice": money]
            let reply = try await client.post("/v2/orders", ["lines": [line]])
            #expect((reply.status, reply.json.errorCode) == (422, "validation"))
            #expect(reply.json["error"]?["field"]?.text == "lines[0].unitPrice.\(field)")
        }
    }

    @Test("D17: v2 mixes currencies within an order, on any account; v1 does not show such an order")
    func mixed() async throws {
        try await withService { service, client async throws in
            let prices = [("0.01", "EUR"), ("500", "JPY"), ("1.234", "KWD"), ("-0.999", "KWD"), ("-12.50", "EUR")]
            let lines = prices.map { amount, currency -> JSON in
                [
                    "article": "straw", "quantity": .integer(3),
                    "unitPrice": ["amount": .string(amount), "currency": .string(currency)],
                ]
            }
            for user in User.all {
                let old = try await client.signedInLegacy(as: user.id)
                let new = try await client.signedIn(as: user.id).client
                let before = try await old.get("/v1/orders").json
                let placed = try await new.post("/v2/orders", ["lines": .array(lines)])
                #expect(placed.status == 201)
                #expect(placed.json["lines"]?.elements == lines)
                let id = try #require(placed.json["id"]?.text)
                #expect(try await new.get("/v2/orders/\(id)").json == placed.json)
                #expect(try await new.walk("/v2/orders").items.last == placed.json)
                let missing = try await old.get("/v1/orders/\(id)")
                #expect((missing.status, missing.json.errorCode) == (404, .integer(4040)))
                #expect(try await old.get("/v1/orders").json == before)
            }
            #expect(service.control.calls(of: .placeOrder) == 3)
        }
    }

    @Test("D17: v1 does not show an order that is wholly in a currency other than the account's either")
    func foreign() async throws {
        try await withService { _, client async throws in
            let money: JSON = ["amount": "500", "currency": "JPY"]
            let line: JSON = ["article": "straw", "quantity": .integer(1), "unitPrice": money]
            let placed = try await client.signedIn().client.post("/v2/orders", ["lines": [line]])
            let id = try #require(placed.json["id"]?.text)
            #expect(try await client.signedInLegacy().get("/v1/orders/\(id)").status == 404)
            #expect(
                try await client.signedInLegacy(as: "kenji").get("/v1/orders/\(id)").json.errorCode == .integer(4013)
            )
        }
    }

    @Test("D17: a total must fit in each currency by itself")
    func totals() async throws {
        try await withService { _, client async throws in
            let client = try await client.signedIn().client
            func place(_ prices: [(String, String)]) async throws -> ServiceClient.Reply {
                let lines = prices.map { amount, currency -> JSON in
                    [
                        "article": "gold", "quantity": .integer(1),
                        "unitPrice": ["amount": .string(amount), "currency": .string(currency)],
                    ]
                }
                return try await client.post("/v2/orders", ["lines": .array(lines)])
            }
            let most = (eur: "92233720368547758.07", jpy: "9223372036854775807", kwd: "9223372036854775.807")
            let all = [(most.eur, "EUR"), (most.jpy, "JPY"), (most.kwd, "KWD")]
            #expect(try await place(all).status == 201)
            for (currency, least) in ["EUR": "0.01", "JPY": "1", "KWD": "0.001"] {
                let reply = try await place(all + [(least, currency)])
                #expect((reply.status, reply.json["error"]?["field"]) == (422, "lines[3].unitPrice"))
            }
        }
    }

    private static func isMixed(_ order: JSON) -> Bool {
        let lines = order["lines"]?.elements ?? []
        return Set(lines.map { $0["unitPrice"]?["currency"] }).count > 1
    }

    @Test("D18: one key, one order; the same key for another order is a conflict; keys are an account's own")
    func idempotency() async throws {
        try await withService { service, client async throws in
            let amara = try await client.signedIn().client
            func place(_ quantity: Int, key: String?) async throws -> ServiceClient.Reply {
                let money: JSON = ["amount": "4.50", "currency": "EUR"]
                let line: JSON = ["article": "straw", "quantity": .integer(quantity), "unitPrice": money]
                return try await amara.post(
                    "/v2/orders",
                    ["lines": [line]],
                    headers: key.map { ["Idempotency-Key": $0] } ?? [:]
                )
            }
            let before = service.control.orderCount(of: "amara")
            let (first, second) = (try await place(1, key: "k"), try await place(1, key: "k"))
            #expect((first.status, second.status) == (201, 200))
            #expect(first.json == second.json)
            #expect(try await place(2, key: "k").json.errorCode == "conflict")
            #expect(try await place(1, key: nil).status == 201)
            #expect(service.control.orderCount(of: "amara") == before + 2)
        }
    }

    @Test("D20: another account's order is forbidden, which v1 answers with 401")
    func forbidden() async throws {
        try await withService { _, client async throws in
            let old = try await client.signedInLegacy(as: "kenji").get("/v1/orders/o-1")
            #expect((old.status, old.json.errorCode) == (401, .integer(4013)))
            let new = try await client.signedIn(as: "kenji").client.get("/v2/orders/o-1")
            #expect((new.status, new.json.errorCode) == (403, "forbidden"))
        }
    }
}
#endif
