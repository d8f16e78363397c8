-- The common part of all scripts.
--
-- KEYS: the store record, the index by key, the index by time. A lease is the hash SPACE:l:<member>; all keys of a
-- namespace share the hash tag SPACE, so they live in one slot and one script may touch many of them.
-- ARGV: the namespace in braces, then whatever the script reads with arg() and number().
--
-- Times are microseconds since 1970 and tokens are below 2^53: both are exact as Lua numbers, unless they are
-- formatted with fewer than 17 digits; hence text().

local STORE, INDEX, DUE = KEYS[1], KEYS[2], KEYS[3]
local SPACE = ARGV[1]
local read_up_to = 1

local function arg()
    read_up_to = read_up_to + 1
    return ARGV[read_up_to]
end

local function number()
    return tonumber(arg())
end

local function text(value)
    return string.format('%.0f', value)
end

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

-- The bits of a token below its epoch, as a factor.
local EPOCH_UNIT = 4398046511104
