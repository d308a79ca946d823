import CofferdamContracts
import SanctuaryDomain

// Entities that can be read only as part of a list.
extension Gets {
    static let message = GetOperation<SanctuarySubject, MessageID, Message>(
        listed: SanctuaryCalls.messages,
        errors: errors,
        samples: { subject in
            try await subject.probe.reset(.empty)
            try await subject.signIn()
            var samples: [GetSample<MessageID, Message>] = []
            for (author, text) in [
                ("kenji", "The hydra sleeps."), ("noor", "0"), ("kenji", ""), ("noor", "ñ \"quoted\" \\ 鳥 & <b>\n🦁"),
            ] {
                let message = try await subject.probe.postMessage(author: author, text: text)
                samples.append(GetSample(message.id, message))
            }
            return samples
        },
        odd: OddPayloads(
            seed: OddSeeds.call("messages", \.messages),
            requiredField: "text",
            promises: { _ in
                ["text", "author"].flatMap { field in
                    [
                        FieldPromise(.missing(field: field), .refused(path: field)),
                        FieldPromise(.null(field: field), .refused(path: field)),
                    ]
                } + [FieldPromise(.empty(field: "text"), .shown { $0.saying("") })]
            }
        ),
        mistakes: GetMistakes(
            fabricated: { Message(id: $0, author: "", text: "", sentAt: Instant(millisecondsSince1970: 0)) },
            losingZeros: { $0.text.isEmpty ? $0.saying("nil") : $0 }
        )
    )

    static let accessory = GetOperation<SanctuarySubject, AccessoryID, Accessory>(
        listed: SanctuaryCalls.accessoryPages,
        errors: errors,
        samples: { subject in
            try await subject.probe.reset(.empty)
            var samples: [GetSample<AccessoryID, Accessory>] = []
            for (name, percent) in [("Collar", 57), ("", 1), ("flat", 0), ("Schildkröte \"🐢\" \\ & <b>", 100)] {
                guard let battery = Battery(percent: percent) else { continue }
                let id = AccessoryID("collar-\(samples.count)")
                let accessory = try await subject.probe.updateAccessory(id, name: name, battery: battery)
                samples.append(GetSample(id, accessory))
            }
            return samples
        },
        odd: OddPayloads(
            seed: OddSeeds.call("accessories", \.accessories),
            requiredField: "name",
            promises: { _ in
                ["name", "battery"].flatMap { field in
                    [
                        FieldPromise(.missing(field: field), .refused(path: field)),
                        FieldPromise(.null(field: field), .refused(path: field)),
                    ]
                } + [FieldPromise(.empty(field: "name"), .shown { $0.called("") })]
            }
        ),
        mistakes: GetMistakes(
            fabricated: {
                Accessory(id: $0, name: "", link: .available, battery: nil, lastSeen: Instant(millisecondsSince1970: 0))
            },
            losingZeros: { accessory in
                var accessory = accessory
                if accessory.battery?.percent == 0 { accessory.battery = nil }
                return accessory
            }
        )
    )
}

extension Message {
    fileprivate func saying(_ text: String) -> Message {
        var message = self
        message.text = text
        return message
    }
}

extension Accessory {
    fileprivate func called(_ name: String) -> Accessory {
        var accessory = self
        accessory.name = name
        return accessory
    }
}
