import Testing

@testable import MenagerieService

struct OrderTests {
    @Test("D17, D19: both APIs show the same orders, each in its own words")
    func listing() async throws {
        try await withService { _, client async throws in
            let decimals = ["amara": 2, "kenji": 0, "noor": 3]
            var (amounts, statuses): (Set<String>, Set<String>) = ([], [])
            for (user, decimals) in decimals {
                let old = try await client.signedInLegacy(as: user).get("/v1/orders").json["orders"]?.elements ?? []
                let new = try await client.signedIn(as: user).client.walk("/v2/orders").items
                #expect(old.map { $0["id"] } == new.map { $0["id"] })
                for (old, new) in zip(old, new) {
                    statuses.insert("\(old["status"]?.text ?? "") = \(new["status"]?.text ?? "")")
                    for (old, new) in zip(old["lines"]?.elements ?? [], new["lines"]?.elements ?? []) {
                        let amount = try #require(new["unitPrice"]?["amount"]?.text)
                        #expect(
                            Amount.minorUnits(amount, decimals: decimals) == old["unit_price"]?.integer.map(Int64.init)
                        )
                        amounts.insert(amount)
                    }
                }
            }
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
            ("quantity", .number("1.5")),
            ("article", ""), ("article", .null), ("unit_price", .number("4.5")), ("unit_price", .integer(Int64.max)),
            ("unit_price", .number("99999999999999999999")),
        ]
    )
    func wrongLines(field: String, value: JSON) async throws {
        try await withService { service, client async throws in
            let client = try await client.signedInLegacy()
            let good: JSON = ["article": "straw", "quantity": .integer(2), "unit_price": .integer(1)]
            guard case .object(var members) = good else { return }
            members.removeAll { $0.name == field }
            members.append(.init(name: field, value: value))
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
            ("kenji", "5.0", "JPY", "amount"), ("noor", "1.2345", "KWD", "amount"), ("noor", "1", "EUR", "currency"),
            ("noor", "1e3", "KWD", "amount"), ("noor", ".5", "KWD", "amount"), ("noor", "", "KWD", "amount"),
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
