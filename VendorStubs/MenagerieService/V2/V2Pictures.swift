#if Sandbox
extension V2API {
    var pictures: [Route] {
        [
            Route(
                "GET",
                "animals/{}/image",
                .imageURL,
                keyed { call, id in
                    try sandbox.world.update { world throws(Refusal) in
                        let animal = try world.animals.existing(uuid: id)
                        let signed = world.sessions.signature(forPictureOf: animal.uuid, at: world.now)
                        let query = "expires=\(signed.expires)&signature=\(signed.signature)"
                        return .json([
                            "url": .string("\(call.origin)/v2/images/\(animal.uuid)?\(query)"),
                            "expiresAt": .string(signed.expiry.rfc3339()),
                        ])
                    }
                }
            ),
            Route("GET", "images/{}", .photo) { call, id in
                try sandbox.world.update { world throws(Refusal) in
                    let animal = try world.animals.existing(uuid: id)
                    guard let expires = call.parameter("expires"), let signature = call.parameter("signature") else {
                        throw Refusal(.forbidden, "the address is not signed")
                    }
                    try world.sessions.checkSignature(signature, expires: expires, uuid: animal.uuid, at: world.now)
                    return world.animals.pictureAnswer(of: animal, to: call)
                }
            },
        ]
    }
}
#endif
