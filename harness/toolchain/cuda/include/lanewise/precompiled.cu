// The source that our headers are precompiled from: it adds nothing to what every compilation begins with.
