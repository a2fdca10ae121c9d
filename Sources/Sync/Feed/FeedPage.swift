package import Records

/// One piece of news of the feed of changes.
package struct FeedEntry: Sendable {
    /// The kinds of news.
    package enum News: Sendable {
        /// A record at its newest state; deleted ones are marked as such.
        case record(ChangeRow)
        /// A changed record that the view's filter does not (or no longer) select, whether it did before or not.
        case outside(ChangeRow)
        /// A zone that is in the view: it came, or something about it changed. Comes before its records.
        case zone(ZoneRow)
        /// A zone that is not in the view, and that the reader may know.
        case departed(ZoneRow, ZoneDeparture)
    }

    /// The news.
    package var news: News
    /// The reader's position after this entry.
    package var token: FeedToken
}

/// Why a zone is not in a view any more.
package enum ZoneDeparture: String, Sendable, CaseIterable {
    /// The zone was deleted for all accounts.
    case deleted
    /// This account or device is no longer a member.
    case left
    /// It is found in another database.
    case moved
}

/// A part of the feed.
package struct FeedPage: Sendable {
    /// The news, in the order of the feed.
    package var entries: [FeedEntry]
    /// The reader's position after the whole page.
    package var token: FeedToken
    /// Whether there may be more already.
    package var more: Bool

    /// A page.
    package init(entries: [FeedEntry], token: FeedToken, more: Bool) {
        self.entries = entries
        self.token = token
        self.more = more
    }

    /// The records among the news, without those outside of the view's filter.
    package var records: [ChangeRow] {
        entries.compactMap { entry in
            if case .record(let change) = entry.news { change } else { nil }
        }
    }
}
