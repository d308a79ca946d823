#if Staged
    import SanctuaryDomain

    // The ports that the app holds for its whole life: each call goes to those of the session that is now.

    struct FollowingCatalogue: Catalogue {
        let followed: @Sendable () -> any Catalogue

        func animals(_ request: AnimalsRequest) async throws -> Page<Animal> { try await followed().animals(request) }

        func animal(_ id: AnimalID) async throws -> Animal { try await followed().animal(id) }
    }

    struct FollowingPhotos: Photos {
        let followed: @Sendable () -> any Photos

        func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
            try await followed().photo(of: id, progress: progress)
        }
    }

    struct FollowingAccessories: Accessories {
        let followed: @Sendable () -> any Accessories

        func accessories() async throws -> [Accessory] { try await followed().accessories() }

        func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable { followed().events() }

        func scan() async throws -> [Accessory] { try await followed().scan() }

        func activate(_ id: AccessoryID) async throws { try await followed().activate(id) }

        func release(_ id: AccessoryID) async throws { try await followed().release(id) }

        func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
            try await followed().perform(command, on: id)
        }

        func nicknames() async throws -> [AccessoryID: String] { try await followed().nicknames() }

        func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
            try await followed().setNickname(nickname, of: id)
        }
    }

    struct FollowingOrders: Orders {
        let followed: @Sendable () -> any Orders

        func orders(_ request: PageRequest) async throws -> Page<Order> { try await followed().orders(request) }

        func order(_ id: OrderID) async throws -> Order { try await followed().order(id) }

        func place(_ draft: OrderDraft) async throws -> Order { try await followed().place(draft) }
    }

    struct FollowingMessages: Messages {
        let followed: @Sendable () -> any Messages

        func messages(_ request: PageRequest) async throws -> Page<Message> { try await followed().messages(request) }

        func send(_ draft: MessageDraft) async throws -> Message { try await followed().send(draft) }

        func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable { followed().events() }
    }
#endif
