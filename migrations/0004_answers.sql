-- The request that has brought an owed message about: by it the bot finds the answer again that a killed process has given,
-- also one without a picture. None: nobody asked, or it was owed before this was noted.

ALTER TABLE owed ADD COLUMN request INTEGER;
