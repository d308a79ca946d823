// The part of SwiftUI that Examples/Screens uses, with the signatures that Apple documents, to type-check it where there is no
// SwiftUI. It does nothing.
@_exported import Foundation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("a stub runs nothing") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a stub runs nothing") }
}

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView((repeat each content))
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        _ConditionalContent()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent()
    }
}

public struct TupleView<Content>: View {
    public init(_ value: Content) {}
    public var body: Never { fatalError("a stub runs nothing") }
}

public struct _ConditionalContent<First, Second> {}

extension _ConditionalContent: View where First: View, Second: View {
    public var body: Never { fatalError("a stub runs nothing") }
}

public struct EmptyView: View {
    public init() {}
    public var body: Never { fatalError("a stub runs nothing") }
}

public struct Text: View {
    public init(_ content: some StringProtocol) {}
    public var body: Never { fatalError("a stub runs nothing") }
}

public struct ProgressView: View {
    public init() {}
    public var body: Never { fatalError("a stub runs nothing") }
}

public struct ZStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("a stub runs nothing") }
}

public struct List<Content: View>: View {
    public init<Data: RandomAccessCollection, Row: View>(
        _ data: Data,
        @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    )
    where Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, Row> {}
    public var body: Never { fatalError("a stub runs nothing") }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}

extension ForEach: View where Content: View {
    public var body: Never { fatalError("a stub runs nothing") }
}

public struct Button<Label: View>: View {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) where Label == Text {}
    public var body: Never { fatalError("a stub runs nothing") }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue value: Value) { wrappedValue = value }
    public var wrappedValue: Value {
        get { fatalError("a stub runs nothing") }
        nonmutating set {}
    }
}

extension View {
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        self
    }
    public func task(
        id value: some Equatable,
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        self
    }
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
    public func navigationTitle(_ title: some StringProtocol) -> some View { self }
}
