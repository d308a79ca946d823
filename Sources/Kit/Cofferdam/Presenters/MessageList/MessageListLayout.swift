/// Which rows a list of messages has.
struct MessageListLayout<Model: Identifiable & Sendable> {
    private let configuration: MessageListConfiguration
    private let content: (Model) -> MessageContent

    init(_ configuration: MessageListConfiguration, _ content: @escaping (Model) -> MessageContent) {
        self.configuration = configuration
        self.content = content
    }

    /// - Parameter models: the oldest first.
    func rows(of models: [Model], selected: Model.ID?) -> [MessageListRow<Model>] {
        guard !models.isEmpty else { return [.empty(configuration.emptyText)] }
        let hidden = models.count - min(models.count, max(0, configuration.limit ?? .max))
        let isReversed = configuration.order == .newestFirst
        var rows: [MessageListRow<Model>] = []
        var before: MessageContent?
        for index in isReversed ? Array((hidden..<models.count).reversed()) : Array(hidden..<models.count) {
            let content = content(models[index])
            let isNewDay = configuration.showsDays && !content.day.isEmpty && content.day != before?.day
            if isNewDay { rows.append(.day(content.day)) }
            rows.append(
                .message(
                    MessageListItem(
                        model: models[index],
                        content: content,
                        index: index,
                        namesAuthor: !configuration.groupsByAuthor || isNewDay || content.author != before?.author,
                        isSelected: models[index].id == selected
                    )
                )
            )
            before = content
        }
        guard hidden > 0 else { return rows }
        return isReversed ? rows + [.earlier(hidden)] : [.earlier(hidden)] + rows
    }
}
